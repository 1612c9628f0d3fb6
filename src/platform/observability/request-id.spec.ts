import { expect, it } from '@jest/globals';
import { requestId } from './request-id.js';

it.each(['a', 'order-1843', 'A.b_c:d-9', 'x'.repeat(64)])('a request may be called %s', (id) => {
  expect(requestId(id)).toBe(id);
});

it.each([undefined, '', 'x'.repeat(65), '-a', 'a b', 'a\nb', 'ä', ['a', 'b']])(
  'a request that is called %j gets an id of ours, another each time',
  (given) => {
    const [first, second] = [requestId(given), requestId(given)];
    expect(first).toMatch(/^[0-9a-f]{12}-[0-9a-z]+$/);
    expect(second).not.toBe(first);
  },
);
