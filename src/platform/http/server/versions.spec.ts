import { expect, it } from '@jest/globals';
import { expectedVersion } from './versions.js';

it.each([
  [undefined, null, null],
  [undefined, 3, 3],
  ['*', null, null],
  ['*', 3, 3],
  ['"3"', null, 3],
  ['3', null, 3],
  [' W/"3" ', 3, 3],
  ['"9999999999"', null, 9_999_999_999],
])('If-Match %s and %s in the body mean the version %s', (ifMatch, inBody, version) => {
  expect(expectedVersion(ifMatch, inBody)).toBe(version);
});

it.each(['', '"0"', '"03"', '"-1"', '"1.5"', '"3", "4"', '"x"', '"10000000000"'])(
  'If-Match %j is no version',
  (ifMatch) => {
    expect(() => expectedVersion(ifMatch, null)).toThrow('If-Match: must be an ETag of the wallet');
  },
);

it.each([2, 4])('If-Match "3" is refused beside version %d in the body', (inBody) => {
  expect(() => expectedVersion('"3"', inBody)).toThrow('version: must be the version of If-Match');
});
