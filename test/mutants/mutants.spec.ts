import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { MUTANTS } from './mutants.ts';

const ROOT = join(import.meta.dirname, '../..');
const SUITES = ['src', 'dashboard/src', 'test'].flatMap((top) =>
  readdirSync(join(ROOT, top), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('spec.ts'))
    .map((path) => `${top}/${path}`),
);
const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

describe.each(MUTANTS.map((mutant) => [`${mutant.group}: ${mutant.name}`, mutant] as const))(
  'the fault “%s”',
  (_, { file, find, replace, tests, only }) => {
    it('has its place in the code, exactly once', () => {
      expect(textOf(file).split(find)).toHaveLength(2);
      expect(replace).not.toBe(find);
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
