import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { MUTANTS } from './mutants.ts';
import { withFault } from './place.ts';

const ROOT = join(import.meta.dirname, '../..');
const SUITES = ['src', 'dashboard/src', 'test'].flatMap((top) =>
  readdirSync(join(ROOT, top), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('spec.ts'))
    .map((path) => `${top}/${path}`),
);
const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

describe.each(MUTANTS.map((mutant) => [`${mutant.group}: ${mutant.name}`, mutant] as const))(
  'the fault “%s”',
  (_, { file, tests, only, ...place }) => {
    it('has its place in the code, exactly once', () => {
      const code = textOf(file);
      const broken = withFault(code, place);
      expect(broken).not.toBeNull();
      expect(broken).not.toBe(code);
    });

    it('has suites that are there, with tests of the names that are to notice it', () => {
      const suites = tests.map((part) => SUITES.filter((path) => path.includes(part)));
      expect(suites.filter((paths) => paths.length === 0)).toEqual([]);
      if (only === undefined) return;
      const texts = suites.flat().map(textOf);
      for (const name of only.split('|')) expect(texts.some((text) => text.includes(name))).toBe(true);
    });
  },
);

describe('a place', () => {
  const code = 'const a = () => 1 + 1;\nclass B { c() { return 1; } }\nconst d = { c: 2 };\n';

  it('is sought in the declarations of its name alone', () => {
    expect(withFault(code, { in: 'c', find: '1', replace: '3' })).toBe(code.replace('return 1', 'return 3'));
    expect(withFault(code, { find: 'return 1', replace: 'return 3' })).toBe(
      code.replace('return 1', 'return 3'),
    );
  });

  it('is not found where its text stands twice, or not at all', () => {
    expect(withFault(code, { in: 'a', find: '1', replace: '3' })).toBeNull();
    expect(withFault(code, { in: 'a', find: '2', replace: '3' })).toBeNull();
    expect(withFault(code, { in: 'nothing', find: '1', replace: '3' })).toBeNull();
    expect(withFault(code, { find: '1', replace: '3' })).toBeNull();
  });
});
