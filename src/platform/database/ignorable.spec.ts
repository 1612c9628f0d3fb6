import { expect, it } from '@jest/globals';
import { withoutIgnorable } from '../../kernel/text.js';
import { IGNORABLE_CLASS } from './ignorable.js';

it('the ignorable characters of SQL are those of Unicode', () => {
  const inSql = new RegExp(IGNORABLE_CLASS.replace(/\\U0*([0-9A-F]+)/g, String.raw`\u{$1}`), 'u');
  const differing: string[] = [];
  for (let code = 0; code <= 0x10ffff; code += 1) {
    const character = String.fromCodePoint(code);
    if (inSql.test(character) !== (withoutIgnorable(character) === '')) differing.push(code.toString(16));
  }
  expect(differing).toEqual([]);
});
