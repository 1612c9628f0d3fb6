import { expect, it } from '@jest/globals';
import { filterOf, PaymentsQuery } from './search.dto.js';

it('a search has reasons read a second time only where it was given in another form than it is sought in', () => {
  const found = ['data bundle', 'Data bundle', 'data  bundle', '½ kg'].map((search) =>
    filterOf({ ...new PaymentsQuery(), search }),
  );
  expect(found.map(({ text, phrase }) => [text, phrase])).toEqual([
    ['data bundle', null],
    ['data bundle', 'Data bundle'],
    ['data bundle', 'data  bundle'],
    ['1⁄2 kg', '½ kg'],
  ]);
});
