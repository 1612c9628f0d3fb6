import { describe, expect, it } from '@jest/globals';
import { routePath } from './route-path.js';

describe('the path of an address', () => {
  it.each([
    ['/v1/auth/signup', '/v1/auth/signup'],
    ['/v1/auth/signup/', '/v1/auth/signup/'],
    ['/v1/auth/signup?a=/b#c', '/v1/auth/signup'],
    ['/v1/auth/signup#c?d', '/v1/auth/signup'],
    ['/v1/auth/signup;x=1', '/v1/auth/signup;x=1'],
    ['/v1/%61uth/signup?%61', '/v1/auth/signup'],
    ['/api/payment%2Dintent', '/api/payment-intent'],
    ['/v1%2Fauth/%3f%23%3b', '/v1%2Fauth/%3f%23%3b'],
    ['/v1/%C3%A9', '/v1/é'],
    ['/v1/auth/%zz', '/v1/auth/%zz'],
    ['/v1/auth/%ff', '/v1/auth/%ff'],
    ['http://host/v1/auth/signup?x', '/v1/auth/signup'],
    ['HTTPS://user@[::1]:8/v1/%61uth', '/v1/auth'],
    ['http://host', '/'],
    ['http://host?/v1/auth', '/'],
    ['//host/v1/auth', '//host/v1/auth'],
    ['ftp://host/v1/auth', 'ftp://host/v1/auth'],
    ['*', '*'],
    ['', '/'],
  ])('%j is %j', (address, path) => {
    expect(routePath(address)).toBe(path);
  });
});
