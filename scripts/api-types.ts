/**
 * Writes the types of the dashboard's API client from the service's own OpenAPI document. No database is needed:
 * nothing is started but what the document is read from.
 */
import 'reflect-metadata';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import openapiTs, { astToString, type OpenAPI3 } from 'openapi-typescript';
import pg from 'pg';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { AppModule } from '../src/app.module.js';
import { readConfig } from '../src/platform/config.js';
import { fastifyAdapter } from '../src/platform/http/fastify.js';
import { openApiDocument } from '../src/platform/http/openapi.js';
import { serviceDataSource } from '../src/platform/database/data-source.js';
import { Database } from '../src/platform/database/database.js';

/** The file, from the root of the repository. It is committed, so that an editor and a clean checkout have it. */
export const TYPES = join('dashboard', 'src', 'api', 'schema.d.ts');
/** It is never connected. */
const NO_SOURCE = serviceDataSource('postgres://nobody@127.0.0.1:1/none', 1, []);
// TypeORM makes its pool when it connects; whoever is given it at once gets one that nobody connects.
(NO_SOURCE.driver as PostgresDriver).master = new pg.Pool();
const HEAD = '/* Written by `npm run api-types` from the OpenAPI document of the service. */\n\n';

/** What the file says of `document`. */
export async function typesOf(document: object): Promise<string> {
  return HEAD + astToString(await openapiTs(document as OpenAPI3));
}

async function main(): Promise<void> {
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.with(readConfig({}), new Database(NO_SOURCE), 'nothing is signed'),
    fastifyAdapter(),
    { bodyParser: false, logger: false, abortOnError: false, preview: true },
  );
  const text = await typesOf(JSON.parse(JSON.stringify(openApiDocument(app))) as object);
  // A file that is up to date is left alone, so that nothing is built anew because of it.
  if ((await readFile(TYPES, 'utf8').catch(() => '')) !== text) await writeFile(TYPES, text);
}

if (import.meta.main) await main();
