import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Put, Query } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiQuery, ApiTags } from '@nestjs/swagger';
import { Operation, Sends, WalletIdParam } from '../../platform/http/operation.js';
import { Paged, pageRequest, paginated } from '../../platform/http/pagination.js';
import { Authenticated, Session } from '../identity/session.guard.js';
import { validateDto } from '../../platform/http/validation.pipe.js';
import type { SessionUser } from '../identity/identity.port.js';
import { validationError } from '../../kernel/errors.js';
import { EVENT_NAMES } from './notifications.domain.js';
import {
  ChangeEndpointRequest,
  CreateEndpointRequest,
  DeletedResponse,
  DeliveriesResponse,
  DeliveryResponse,
  DeliveryDetailResponse,
  EndpointResponse,
  EndpointsResponse,
  EVENT_BODIES,
  NewEndpointResponse,
  outboundWebhooks,
  RecoverResponse,
  RecoverRequest,
  RotateSecretRequest,
  SecretResponse,
  TestRequest,
  ThresholdResponse,
  ThresholdRequest,
} from './notifications.dto.js';
import { NotificationsService } from './notifications.service.js';
import type { Delivery, Endpoint, RecordedAttempt } from './notifications.store.js';

const STATUSES = ['pending', 'succeeded', 'failed'] as const;

@ApiTags('outbound webhooks')
@ApiExtraModels(...EVENT_BODIES)
@Controller('v1/webhook-endpoints')
@Authenticated()
export class WebhookEndpointsController {
  constructor(private readonly notifications: NotificationsService) {}

  @Post()
  @Sends(outboundWebhooks())
  @Operation({
    id: 'createWebhookEndpoint',
    summary: 'Subscribe an address to events; the secret is shown here alone',
    status: 201,
    answers: NewEndpointResponse,
    errors: ['VALIDATION_ERROR', 'WALLET_NOT_FOUND', 'WEBHOOK_LIMIT_REACHED'],
  })
  async create(@Body() body: CreateEndpointRequest, @Session() { userId }: SessionUser): Promise<object> {
    const { secret, ...endpoint } = await this.notifications.create(userId, {
      url: body.url,
      events: body.events ?? ['wallet.funded'],
      walletIds: body.walletIds ? [...new Set(body.walletIds)] : null,
      description: body.description ?? null,
    });
    return { success: true, data: { ...present(endpoint), secret } };
  }

  @Get()
  @Operation({
    id: 'listWebhookEndpoints',
    summary: 'List the webhook endpoints of the signed-in user',
    answers: EndpointsResponse,
    errors: ['VALIDATION_ERROR'],
  })
  @Paged()
  async list(@Query() query: Record<string, unknown>, @Session() { userId }: SessionUser): Promise<object> {
    const request = pageRequest(query);
    const { rows, total } = await this.notifications.list(userId, request);
    return paginated(request, { rows: rows.map(present), total });
  }

  @Get(':endpointId')
  @Operation({
    id: 'getWebhookEndpoint',
    summary: 'Read a webhook endpoint',
    answers: EndpointResponse,
    errors: ['WEBHOOK_ENDPOINT_NOT_FOUND'],
  })
  async get(@Param('endpointId') id: string, @Session() { userId }: SessionUser): Promise<object> {
    return { success: true, data: present(await this.notifications.get(id, userId)) };
  }

  @Patch(':endpointId')
  @Operation({
    id: 'updateWebhookEndpoint',
    summary: 'Change a webhook endpoint, or enable or disable it',
    answers: EndpointResponse,
    errors: ['VALIDATION_ERROR', 'WEBHOOK_ENDPOINT_NOT_FOUND', 'WALLET_NOT_FOUND'],
  })
  async change(
    @Param('endpointId') id: string,
    @Body() body: ChangeEndpointRequest,
    @Session() { userId }: SessionUser,
  ): Promise<object> {
    const { url, events, walletIds, description, status } = body;
    const endpoint = await this.notifications.change(id, userId, {
      ...(url && { url }),
      ...(events && { events }),
      ...(walletIds !== undefined && { walletIds: walletIds && [...new Set(walletIds)] }),
      ...(description !== undefined && { description }),
      ...(status && { status }),
    });
    return { success: true, data: present(endpoint) };
  }

  @Delete(':endpointId')
  @Operation({
    id: 'deleteWebhookEndpoint',
    summary: 'Delete a webhook endpoint; nothing more is sent to it',
    answers: DeletedResponse,
    errors: ['WEBHOOK_ENDPOINT_NOT_FOUND'],
  })
  async delete(@Param('endpointId') id: string, @Session() { userId }: SessionUser): Promise<object> {
    return { success: true, data: { id: await this.notifications.delete(id, userId), deleted: true } };
  }

  @Post(':endpointId/rotate-secret')
  @HttpCode(200)
  @Operation({
    id: 'rotateWebhookSecret',
    summary: 'Make a new secret; the old one signs too for 24 hours',
    answers: SecretResponse,
    errors: ['VALIDATION_ERROR', 'WEBHOOK_ENDPOINT_NOT_FOUND', 'WEBHOOK_LIMIT_REACHED'],
  })
  @ApiBody({ type: RotateSecretRequest, required: false })
  async rotate(
    @Param('endpointId') id: string,
    @Body() body: unknown,
    @Session() { userId }: SessionUser,
  ): Promise<object> {
    const { revokePrevious } = validateDto(RotateSecretRequest, body ?? {});
    return {
      success: true,
      data: await this.notifications.rotateSecret(id, userId, revokePrevious ?? false),
    };
  }

  @Post(':endpointId/test')
  @HttpCode(202)
  @Operation({
    id: 'sendTestWebhook',
    summary: 'Send an example of an event',
    status: 202,
    answers: DeliveryResponse,
    errors: ['VALIDATION_ERROR', 'WEBHOOK_ENDPOINT_NOT_FOUND', 'WEBHOOK_ENDPOINT_DISABLED'],
  })
  @ApiBody({ type: TestRequest, required: false })
  async test(
    @Param('endpointId') id: string,
    @Body() body: unknown,
    @Session() { userId }: SessionUser,
  ): Promise<object> {
    const { event } = validateDto(TestRequest, body ?? {});
    return {
      success: true,
      data: presentDelivery(await this.notifications.sendTest(id, userId, event ?? null)),
    };
  }

  @Get(':endpointId/deliveries')
  @Operation({
    id: 'listWebhookDeliveries',
    summary: 'List what was and is to be sent to a webhook endpoint, newest first',
    answers: DeliveriesResponse,
    errors: ['VALIDATION_ERROR', 'WEBHOOK_ENDPOINT_NOT_FOUND'],
  })
  @ApiQuery({ name: 'status', required: false, enum: STATUSES })
  @ApiQuery({ name: 'event', required: false, enum: EVENT_NAMES })
  @Paged()
  async deliveries(
    @Param('endpointId') id: string,
    @Query() query: Record<string, unknown>,
    @Session() { userId }: SessionUser,
  ): Promise<object> {
    const request = pageRequest(query);
    const filter = {
      status: oneOf(query, 'status', STATUSES),
      event: oneOf(query, 'event', EVENT_NAMES),
    };
    const { rows, total } = await this.notifications.deliveries(id, userId, filter, request);
    return paginated(request, { rows: rows.map(presentDelivery), total });
  }

  @Post(':endpointId/recover')
  @HttpCode(202)
  @Operation({
    id: 'recoverWebhookDeliveries',
    summary: 'Send again all that failed since a moment',
    status: 202,
    answers: RecoverResponse,
    errors: ['VALIDATION_ERROR', 'WEBHOOK_ENDPOINT_NOT_FOUND', 'WEBHOOK_ENDPOINT_DISABLED'],
  })
  async recover(
    @Param('endpointId') id: string,
    @Body() { since }: RecoverRequest,
    @Session() { userId }: SessionUser,
  ): Promise<object> {
    return { success: true, data: { recovered: await this.notifications.recover(id, userId, since) } };
  }
}

@ApiTags('outbound webhooks')
@Controller('v1/webhook-deliveries')
@Authenticated()
export class WebhookDeliveriesController {
  constructor(private readonly notifications: NotificationsService) {}

  @Get(':deliveryId')
  @Operation({
    id: 'getWebhookDelivery',
    summary: 'Read a delivery with its body and its attempts',
    answers: DeliveryDetailResponse,
    errors: ['WEBHOOK_DELIVERY_NOT_FOUND'],
  })
  async get(@Param('deliveryId') id: string, @Session() { userId }: SessionUser): Promise<object> {
    const { attempts, ...delivery } = await this.notifications.delivery(id, userId);
    return {
      success: true,
      data: {
        ...presentDelivery(delivery),
        body: JSON.parse(delivery.body) as object,
        attempts: attempts.map(presentAttempt),
      },
    };
  }

  @Post(':deliveryId/replay')
  @HttpCode(202)
  @Operation({
    id: 'replayWebhookDelivery',
    summary: 'Send a delivery again, under the same webhook-id',
    status: 202,
    answers: DeliveryResponse,
    errors: ['WEBHOOK_DELIVERY_NOT_FOUND', 'WEBHOOK_ENDPOINT_DISABLED'],
  })
  async replay(@Param('deliveryId') id: string, @Session() { userId }: SessionUser): Promise<object> {
    return { success: true, data: presentDelivery(await this.notifications.replay(id, userId)) };
  }
}

@ApiTags('outbound webhooks')
@WalletIdParam()
@Controller('v1/wallets/:walletId/low-balance-threshold')
@Authenticated()
export class LowBalanceController {
  constructor(private readonly notifications: NotificationsService) {}

  @Get()
  @Operation({
    id: 'getLowBalanceThreshold',
    summary: 'Read the balance below which wallet.low_balance is sent',
    answers: ThresholdResponse,
    errors: ['WALLET_NOT_FOUND'],
  })
  async get(@Param('walletId') walletId: string, @Session() { userId }: SessionUser): Promise<object> {
    return { success: true, data: await this.notifications.threshold(walletId, userId) };
  }

  @Put()
  @Operation({
    id: 'setLowBalanceThreshold',
    summary: 'Set the balance below which wallet.low_balance is sent, or null for none',
    answers: ThresholdResponse,
    errors: ['VALIDATION_ERROR', 'WALLET_NOT_FOUND'],
  })
  async set(
    @Param('walletId') walletId: string,
    @Body() { threshold }: ThresholdRequest,
    @Session() { userId }: SessionUser,
  ): Promise<object> {
    return { success: true, data: await this.notifications.setThreshold(walletId, userId, threshold) };
  }
}

/** Reads one of a few words from a query; throws `VALIDATION_ERROR` for any other. */
function oneOf<Word extends string>(
  query: Record<string, unknown>,
  field: string,
  words: readonly Word[],
): Word | null {
  const value = query[field];
  if (value === undefined) return null;
  const word = words.find((each) => each === value);
  if (!word) throw validationError({ field, message: `must be one of ${words.join(', ')}` });
  return word;
}

function present(endpoint: Endpoint) {
  return {
    id: endpoint.id,
    url: endpoint.url,
    events: endpoint.events,
    walletIds: endpoint.walletIds,
    description: endpoint.description,
    status: endpoint.status,
    disabledReason: endpoint.disabledReason,
    disabledAt: endpoint.disabledAt,
    createdAt: endpoint.createdAt,
  };
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

function presentAttempt({ at, statusCode, durationMs, response, error }: RecordedAttempt) {
  return { at, statusCode, durationMs, response, error };
}
