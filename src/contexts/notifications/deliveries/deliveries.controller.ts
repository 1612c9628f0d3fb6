import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import { Operation } from '../../../platform/http/api/operation.js';
import { StrictQuery } from '../../../platform/http/api/strict-query.js';
import { paginated } from '../../../platform/http/api/pagination.js';
import type { SessionUser } from '../../identity/identity.port.js';
import { Authenticated, Can, Session } from '../../identity/session.guard.js';
import {
  BrowseDeliveriesQuery,
  DeliveriesByCursorResponse,
  DeliveriesQuery,
  DeliveriesResponse,
  DeliveryDetailResponse,
  DeliveryResponse,
  RecoverRequest,
  RecoverResponse,
  TestRequest,
} from './deliveries.dto.js';
import { requestHeaders } from './deliveries.domain.js';
import { DeliveriesService } from './deliveries.service.js';
import { Delivery, RecordedDeliveryAttempt } from './deliveries.store.js';

const TESTS_MAX = 'At most 10 a minute to one endpoint, and 60 an hour by one account';

@ApiTags('outbound webhooks')
@Controller('v1/webhook-endpoints')
@Authenticated()
export class EndpointDeliveriesController {
  constructor(private readonly deliveries: DeliveriesService) {}

  @Post(':endpointId/test')
  @HttpCode(202)
  @Can('webhooks.manage')
  @Operation({
    id: 'sendTestWebhook',
    summary: 'Send an example of an event',
    description: `${TESTS_MAX}; a test that is replayed counts again.`,
    status: 202,
    answers: DeliveryResponse,
    errors: ['VALIDATION_ERROR', 'WEBHOOK_ENDPOINT_NOT_FOUND', 'WEBHOOK_ENDPOINT_DISABLED', 'RATE_LIMITED'],
  })
  @ApiBody({ type: TestRequest, required: false })
  async test(
    @Param('endpointId') id: string,
    @Body() { event }: TestRequest,
    @Session() session: SessionUser,
  ): Promise<object> {
    return {
      success: true,
      data: presentDelivery(await this.deliveries.sendTest(id, session, event ?? null)),
    };
  }

  @Get(':endpointId/deliveries')
  @StrictQuery(DeliveriesQuery)
  @Can('wallets.read')
  @Operation({
    id: 'listWebhookDeliveries',
    summary: 'List what was and is to be sent to a webhook endpoint, newest first',
    answers: DeliveriesResponse,
    errors: ['WEBHOOK_ENDPOINT_NOT_FOUND'],
  })
  async list(
    @Param('endpointId') id: string,
    @Query() query: DeliveriesQuery,
    @Session() { accountId }: SessionUser,
  ): Promise<object> {
    const { rows, total, counts } = await this.deliveries.list(id, accountId, query, query);
    return { ...paginated(query, { rows: rows.map(presentDelivery), total }), counts };
  }

  @Post(':endpointId/recover')
  @HttpCode(202)
  @Can('webhooks.manage')
  @Operation({
    id: 'recoverWebhookDeliveries',
    summary: 'Send again all that failed since a moment',
    description: 'Tests are left out.',
    status: 202,
    answers: RecoverResponse,
    errors: ['VALIDATION_ERROR', 'WEBHOOK_ENDPOINT_NOT_FOUND', 'WEBHOOK_ENDPOINT_DISABLED'],
  })
  async recover(
    @Param('endpointId') id: string,
    @Body() { since }: RecoverRequest,
    @Session() session: SessionUser,
  ): Promise<object> {
    return { success: true, data: { recovered: await this.deliveries.recover(id, session, since) } };
  }
}

@ApiTags('outbound webhooks')
@Controller('v1/webhook-deliveries')
@Authenticated()
export class DeliveriesController {
  constructor(private readonly deliveries: DeliveriesService) {}

  @Get()
  @StrictQuery(BrowseDeliveriesQuery)
  @Can('wallets.read')
  @Operation({
    id: 'browseWebhookDeliveries',
    summary: 'List what was and is to be sent to a webhook endpoint, by cursor',
    description:
      'Newest first. Costs the same however many there are: where few match, a page can be short, even empty, and nextCursor leads on.',
    answers: DeliveriesByCursorResponse,
    errors: ['WEBHOOK_ENDPOINT_NOT_FOUND'],
  })
  async browse(
    @Query() query: BrowseDeliveriesQuery,
    @Session() { accountId }: SessionUser,
  ): Promise<object> {
    const { endpointId, cursor, limit } = query;
    const { rows, next } = await this.deliveries.listBefore(endpointId, accountId, query, cursor, limit);
    return { success: true, data: rows.map(presentDelivery), nextCursor: next };
  }

  @Get(':deliveryId')
  @Can('wallets.read')
  @Operation({
    id: 'getWebhookDelivery',
    summary: 'Read a delivery with its body and its attempts',
    answers: DeliveryDetailResponse,
    errors: ['WEBHOOK_DELIVERY_NOT_FOUND'],
  })
  async get(@Param('deliveryId') id: string, @Session() { accountId }: SessionUser): Promise<object> {
    const { attempts, ...delivery } = await this.deliveries.get(id, accountId);
    return {
      success: true,
      data: {
        ...presentDelivery(delivery),
        body: JSON.parse(delivery.body) as object,
        attempts: attempts.map((attempt) => presentAttempt(delivery.eventId, attempt)),
      },
    };
  }

  @Post(':deliveryId/replay')
  @HttpCode(202)
  @Can('webhooks.manage')
  @Operation({
    id: 'replayWebhookDelivery',
    summary: 'Send a delivery again, under the same webhook-id',
    description: `A test counts against the limits of tests. ${TESTS_MAX}.`,
    status: 202,
    answers: DeliveryResponse,
    errors: ['WEBHOOK_DELIVERY_NOT_FOUND', 'WEBHOOK_ENDPOINT_DISABLED', 'RATE_LIMITED'],
  })
  async replay(@Param('deliveryId') id: string, @Session() session: SessionUser): Promise<object> {
    return { success: true, data: presentDelivery(await this.deliveries.replay(id, session)) };
  }
}

function presentDelivery(delivery: Delivery) {
  return {
    id: delivery.id,
    endpointId: delivery.endpointId,
    webhookId: delivery.eventId,
    event: delivery.event,
    walletId: delivery.walletId,
    isTest: delivery.isTest,
    status: delivery.status,
    attemptCount: delivery.attemptCount,
    nextAttemptAt: delivery.nextAttemptAt,
    lastAttemptAt: delivery.lastAttemptAt,
    finishedAt: delivery.finishedAt,
    failureReason: delivery.failureReason,
    createdAt: delivery.createdAt,
  };
}

function presentAttempt(
  webhookId: string,
  { at, statusCode, durationMs, response, error, signature }: RecordedDeliveryAttempt,
) {
  const headers = signature === null ? null : requestHeaders(webhookId, at, signature);
  return { at, statusCode, durationMs, response, error, requestHeaders: headers };
}
