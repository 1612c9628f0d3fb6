import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { getMetadataStorage } from 'class-validator';
import { Config } from '../../src/platform/config.js';

function settingNames(): string[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(Config, '', false, false);
  return [...new Set(rules.map(({ propertyName }) => propertyName))];
}

it('lists every setting with its default in .env.example', () => {
  const file = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8');
  const listed = [...file.matchAll(/^([A-Z][A-Z0-9_]*)=(.*)$/gm)].map(([, name, value]) => [name, value]);
  const defaults = new Config() as unknown as Record<string, string | number | undefined>;
  const wanted = settingNames().map((name) => [name, String(defaults[name] ?? '')]);
  expect(listed.sort()).toEqual(wanted.sort());
});

it('describes every setting in docs/operation.md, and none that there is not', () => {
  const page = readFileSync(new URL('../../docs/operation.md', import.meta.url), 'utf8');
  const table = page
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .join('\n');
  const described = [...table.matchAll(/`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|PORT|HOST|DATABASE)`/g)].map(
    ([, name]) => name,
  );
  expect([...new Set(described)].sort()).toEqual(settingNames().sort());
});
