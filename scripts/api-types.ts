/**
 * Writes the types of the dashboard's API client and of the SDK from the service's own OpenAPI document, and the titles
 * of its checks for the dashboard. Nothing is started but what the document is read from. Then it builds the SDK, whose
 * types these are.
 */
import 'reflect-metadata';
import { readFile, writeFile } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import openapiTs, { astToString, type OpenAPI3 } from 'openapi-typescript';
import pg from 'pg';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { AppModule } from '../src/app.module.js';
import { BLOCK_TITLES, CHECK_TITLES, SIX_CHECKS } from '../src/contexts/payments/checks/titles.domain.js';
import { readConfig } from '../src/platform/config.js';
import { fastifyAdapter } from '../src/platform/http/server/fastify.js';
import { openApiDocument } from '../src/platform/http/openapi/openapi.js';
import { serviceDataSource } from '../src/platform/database/data-source.js';
import { PlainWire } from '../src/platform/database/wire/plain.js';
import { Database } from '../src/platform/database/database.js';

/** The file, from the root of the repository. It is committed, so that an editor and a clean checkout have it. */
export const TYPES = join('dashboard', 'src', 'api', 'schema.d.ts');
/** For the SDK, of what the holder of an API key may ask and of the webhooks that are sent. */
export const SDK_TYPES = join('sdk', 'src', 'schema.ts');
/** Codes and titles of the checks, for the dashboard. */
export const CHECK_TABLE = join('dashboard', 'src', 'api', 'checks.ts');
/** It is never connected. */
const NO_SOURCE = serviceDataSource('postgres://nobody@127.0.0.1:1/none', 1, []);
// TypeORM makes its pool when it connects, which this source never does. What takes the pool before gets this one.
(NO_SOURCE.driver as PostgresDriver).master = new pg.Pool();
const HEAD = '/* Written by `npm run api-types` from the OpenAPI document of the service. */\n\n';

/** Content of the file for `document`. */
export async function typesOf(document: object): Promise<string> {
  return HEAD + astToString(await openapiTs(document as OpenAPI3));
}

/** The routes that an API key opens and the webhooks, with the components that these name. */
export function agentDocument({ paths, components = {}, ...rest }: OpenAPIObject): OpenAPIObject {
  const opened = Object.entries(paths).flatMap(([path, item]) => {
    const operations = Object.entries(item).filter(([, operation]) =>
      (operation as { security?: object[] }).security?.some((scheme) => 'apiKey' in scheme),
    );
    return operations.length > 0 ? [[path, Object.fromEntries(operations)] as const] : [];
  });
  const document: OpenAPIObject = { ...rest, paths: Object.fromEntries(opened) };
  const kinds = components as Record<string, Record<string, object> | undefined>;
  const kept: Record<string, Record<string, object>> = {};
  const follow = (part: object): void => {
    for (const [, kind = '', name = ''] of JSON.stringify(part).matchAll(
      /"#\/components\/(\w+)\/([^"]+)"/g,
    )) {
      const component = kinds[kind]?.[name];
      if (!component || kept[kind]?.[name]) continue;
      (kept[kind] ??= {})[name] = component;
      follow(component);
    }
  };
  follow(document);
  return { ...document, components: kept };
}

/** What {@link CHECK_TABLE} says of the service's checks. */
export function checkTable(): string {
  const constants = Object.entries({ SIX_CHECKS, CHECK_TITLES, BLOCK_TITLES }).map(
    ([name, value]) => `export const ${name} = ${JSON.stringify(value, null, 2)} as const;\n`,
  );
  return `/* Written by \`npm run api-types\` from the checks and rules of the service. */\n\n${constants.join('\n')}`;
}

async function write(file: string, text: string): Promise<void> {
  // A file that is up to date is left alone, so that nothing is built anew because of it.
  if ((await readFile(file, 'utf8').catch(() => '')) !== text) await writeFile(file, text);
}

async function main(): Promise<void> {
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.with(readConfig({}), new Database(NO_SOURCE, new PlainWire()), 'nothing is signed'),
    fastifyAdapter(),
    { bodyParser: false, logger: false, abortOnError: false, preview: true },
  );
  const document = JSON.parse(JSON.stringify(openApiDocument(app))) as OpenAPIObject;
  await write(TYPES, await typesOf(document));
  await write(SDK_TYPES, await typesOf(agentDocument(document)));
  await write(CHECK_TABLE, checkTable());
  await promisify(execFile)(process.execPath, [join('scripts', 'build-sdk.mjs')]);
}

// Tests import what is above.
if (process.argv[1] === import.meta.filename) await main();
