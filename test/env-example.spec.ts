import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { getMetadataStorage } from 'class-validator';
import { Config } from '../src/platform/config.js';
import { ROOT, shippedNodeOptions } from './support/server-process.js';

it('lists every setting with its default in .env.example', () => {
  const file = readFileSync(new URL('../.env.example', import.meta.url), 'utf8');
  const listed = [...file.matchAll(/^([A-Z][A-Z0-9_]*)=(.*)$/gm)].map(([, name, value]) => [name, value]);
  const defaults = new Config() as unknown as Record<string, string | number | undefined>;
  const names = new Set(
    getMetadataStorage()
      .getTargetValidationMetadatas(Config, '', false, false)
      .map(({ propertyName }) => propertyName),
  );
  const wanted = [...names].map((name) => [name, String(defaults[name] ?? '')]);
  expect(listed.sort()).toEqual(wanted.sort());
});

it('gives Node the same options in the image, by npm start and by npm run start:prod', () => {
  const [, command] = /^CMD (\[.*\])$/m.exec(readFileSync(`${ROOT}/Dockerfile`, 'utf8')) ?? [];
  expect(JSON.parse(command ?? '')).toEqual(['node', ...shippedNodeOptions(ROOT), 'dist/src/main.js']);
  expect(shippedNodeOptions(ROOT, 'start:prod')).toEqual(shippedNodeOptions(ROOT));
});
