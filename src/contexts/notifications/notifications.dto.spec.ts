import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { readConfig } from '../../platform/config.js';
import { fastifyAdapter } from '../../platform/http/server/fastify.js';
import { RequestLimits, TwoFactor } from '../identity/identity.port.js';
import { JwtStrategy } from '../identity/jwt.strategy.js';
import { DeliveriesController, EndpointDeliveriesController } from './deliveries/deliveries.controller.js';
import { DeliveriesService } from './deliveries/deliveries.service.js';
import { EndpointsController } from './endpoints/endpoints.controller.js';
import { EndpointsService } from './endpoints/endpoints.service.js';
import { EVENT_NAMES, EXAMPLES } from './notifications.domain.js';
import { outboundWebhooks } from './notifications.dto.js';

@Module({
  controllers: [EndpointsController, EndpointDeliveriesController, DeliveriesController],
  providers: [
    { provide: EndpointsService, useValue: {} },
    { provide: DeliveriesService, useValue: {} },
    { provide: JwtStrategy, useValue: {} },
    { provide: RequestLimits, useValue: {} },
    { provide: TwoFactor, useValue: {} },
  ],
})
class RoutesModule {}

describe('the documentation', () => {
  let app: NestFastifyApplication;
  let document: OpenAPIObject;

  beforeAll(async () => {
    app = await NestFactory.create<NestFastifyApplication>(RoutesModule, fastifyAdapter(), { logger: false });
    document = SwaggerModule.createDocument(app, new DocumentBuilder().build());
  });
  afterAll(() => app.close());

  it.each(EVENT_NAMES)('has the body of %s with an example, field by field', (event) => {
    const { post } = outboundWebhooks()[event] as {
      post: { requestBody: { content: Record<string, { schema: { $ref: string }; example: unknown }> } };
    };
    const { schema, example } = post.requestBody.content['application/json']!;
    expect(example).toEqual({ event, data: EXAMPLES[event] });
    const schemas = document.components!.schemas as Record<
      string,
      { properties: Record<string, { $ref?: string; example?: unknown }>; required: string[] }
    >;
    const body = schemas[schema.$ref.split('/').at(-1)!]!;
    expect(body.required).toEqual(['event', 'data']);
    const data = schemas[body.properties['data']!.$ref!.split('/').at(-1)!]!;
    const key = event === 'wallet.limit_warning' ? [] : ['keyId', 'keyPrefix', 'keyName'];
    const optional = ['purpose', 'runId', 'rationale', ...key];
    expect(data.required).toEqual(Object.keys(EXAMPLES[event]).filter((field) => !optional.includes(field)));
    expect(
      Object.fromEntries(Object.entries(data.properties).map(([name, { example }]) => [name, example])),
    ).toEqual(EXAMPLES[event]);
  });

  it('names every route once', () => {
    const ids = Object.values(document.paths).flatMap((item) =>
      [item.get, item.post, item.put, item.patch, item.delete].flatMap((each) => each?.operationId ?? []),
    );
    expect(ids).toHaveLength(12);
    expect(new Set(ids).size).toBe(12);
  });
});

describe('the settings', () => {
  it('hold the schedule of the retries', () => {
    expect(readConfig({}).WEBHOOK_RETRY_SECONDS).toEqual([
      5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400,
    ]);
    expect(readConfig({ WEBHOOK_RETRY_SECONDS: '1, 0.5,300' }).WEBHOOK_RETRY_SECONDS).toEqual([1, 0.5, 300]);
    for (const wrong of ['x', '1,,2', '-1', '1e3', '604801', Array.from({ length: 31 }, () => 1).join()]) {
      expect(() => readConfig({ WEBHOOK_RETRY_SECONDS: wrong })).toThrow(/^WEBHOOK_RETRY_SECONDS: /);
    }
  });

  it('say whether webhooks may go anywhere', () => {
    expect(readConfig({}).WEBHOOK_ALLOW_PRIVATE).toBeUndefined();
    expect(readConfig({ WEBHOOK_ALLOW_PRIVATE: 'false' }).WEBHOOK_ALLOW_PRIVATE).toBe('false');
    expect(() => readConfig({ WEBHOOK_ALLOW_PRIVATE: 'yes' })).toThrow(/^WEBHOOK_ALLOW_PRIVATE: /);
    expect(() => readConfig({ WEBHOOK_ENCRYPTION_KEY: 'short' })).toThrow(/^WEBHOOK_ENCRYPTION_KEY: /);
  });
});
