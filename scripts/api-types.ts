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
import { AppModule } from '../src/app.module.js';
import { readConfig } from '../src/config.js';
import { fastifyAdapter } from '../src/http/fastify.js';
import { openApiDocument } from '../src/http/openapi.js';
import { Database } from '../src/shared/database.js';

const FILE = join(process.cwd(), 'dashboard', 'src', 'api', 'schema.d.ts');
const HEAD = '/* Written by `npm run api-types` from the OpenAPI document of the service. */\n\n';

const app = await NestFactory.create<NestFastifyApplication>(
  AppModule.with(readConfig({}), new Database('postgres://nobody@127.0.0.1:1/none'), 'nothing is signed'),
  fastifyAdapter(),
  { bodyParser: false, logger: false, abortOnError: false },
);
const document = JSON.parse(JSON.stringify(openApiDocument(app))) as OpenAPI3;
const text = HEAD + astToString(await openapiTs(document));
if ((await readFile(FILE, 'utf8').catch(() => '')) !== text) await writeFile(FILE, text);
