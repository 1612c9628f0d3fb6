import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiTags } from '@nestjs/swagger';
import { Operation, Sends } from '../../../platform/http/api/operation.js';
import { StrictQuery } from '../../../platform/http/api/strict-query.js';
import { PageQuery, paginated } from '../../../platform/http/api/pagination.js';
import type { SessionUser } from '../../identity/identity.port.js';
import { STEP_UP_ERRORS, StepUp } from '../../identity/second-factor.guard.js';
import { Authenticated, Can, Session } from '../../identity/session.guard.js';
import { EVENT_BODIES, outboundWebhooks } from '../notifications.dto.js';
import {
  ChangeEndpointRequest,
  CreateEndpointRequest,
  DeletedResponse,
  EndpointResponse,
  EndpointsResponse,
  EndpointWithHealthResponse,
  NewEndpointResponse,
  RotateSecretRequest,
  SecretResponse,
} from './endpoints.dto.js';
import { EndpointsService, type EndpointWithHealth } from './endpoints.service.js';
import { Endpoint } from './endpoints.store.js';

@ApiTags('outbound webhooks')
@ApiExtraModels(...EVENT_BODIES)
@Controller('v1/webhook-endpoints')
@Authenticated()
export class EndpointsController {
  constructor(private readonly endpoints: EndpointsService) {}

  @Post()
  @Sends(outboundWebhooks())
  @Can('webhooks.manage')
  @Operation({
    id: 'createWebhookEndpoint',
    summary: 'Subscribe an address to events; the secret is shown here alone',
    status: 201,
    answers: NewEndpointResponse,
    errors: ['VALIDATION_ERROR', 'WALLET_NOT_FOUND', 'WEBHOOK_LIMIT_REACHED'],
  })
  async create(@Body() body: CreateEndpointRequest, @Session() session: SessionUser): Promise<object> {
    const { secret, ...endpoint } = await this.endpoints.create(session, {
      url: body.url,
      events: body.events ?? ['wallet.funded'],
      walletIds: body.walletIds ? [...new Set(body.walletIds)] : null,
      description: body.description ?? null,
    });
    return { success: true, data: { ...present(endpoint), secret } };
  }

  @Get()
  @StrictQuery(PageQuery)
  @Can('wallets.read')
  @Operation({
    id: 'listWebhookEndpoints',
    summary: 'List the webhook endpoints of the account',
    answers: EndpointsResponse,
  })
  async list(@Query() request: PageQuery, @Session() { accountId }: SessionUser): Promise<object> {
    const { rows, total } = await this.endpoints.list(accountId, request);
    return paginated(request, { rows: rows.map(presentWithHealth), total });
  }

  @Get(':endpointId')
  @Can('wallets.read')
  @Operation({
    id: 'getWebhookEndpoint',
    summary: 'Read a webhook endpoint',
    answers: EndpointWithHealthResponse,
    errors: ['WEBHOOK_ENDPOINT_NOT_FOUND'],
  })
  async get(@Param('endpointId') id: string, @Session() { accountId }: SessionUser): Promise<object> {
    return { success: true, data: presentWithHealth(await this.endpoints.get(id, accountId)) };
  }

  @Patch(':endpointId')
  @Can('webhooks.manage')
  @Operation({
    id: 'updateWebhookEndpoint',
    summary: 'Change a webhook endpoint, or enable or disable it',
    answers: EndpointResponse,
    errors: ['VALIDATION_ERROR', 'WEBHOOK_ENDPOINT_NOT_FOUND', 'WALLET_NOT_FOUND'],
  })
  async change(
    @Param('endpointId') id: string,
    @Body() body: ChangeEndpointRequest,
    @Session() session: SessionUser,
  ): Promise<object> {
    const { url, events, walletIds, description, status } = body;
    const endpoint = await this.endpoints.change(id, session, {
      ...(url && { url }),
      ...(events && { events }),
      ...(walletIds !== undefined && { walletIds: walletIds && [...new Set(walletIds)] }),
      ...(description !== undefined && { description }),
      ...(status && { status }),
    });
    return { success: true, data: present(endpoint) };
  }

  @Delete(':endpointId')
  @Can('webhooks.manage')
  @Operation({
    id: 'deleteWebhookEndpoint',
    summary: 'Delete a webhook endpoint; nothing more is sent to it',
    answers: DeletedResponse,
    errors: ['WEBHOOK_ENDPOINT_NOT_FOUND'],
  })
  async delete(@Param('endpointId') id: string, @Session() session: SessionUser): Promise<object> {
    return { success: true, data: { id: await this.endpoints.delete(id, session), deleted: true } };
  }

  @Post(':endpointId/rotate-secret')
  @StepUp()
  @HttpCode(200)
  @Can('webhooks.manage')
  @Operation({
    id: 'rotateWebhookSecret',
    summary: 'Make a new secret; the old one signs too for 24 hours',
    answers: SecretResponse,
    errors: ['VALIDATION_ERROR', 'WEBHOOK_ENDPOINT_NOT_FOUND', 'WEBHOOK_LIMIT_REACHED', ...STEP_UP_ERRORS],
  })
  @ApiBody({ type: RotateSecretRequest, required: false })
  async rotate(
    @Param('endpointId') id: string,
    @Body() { revokePrevious }: RotateSecretRequest,
    @Session() session: SessionUser,
  ): Promise<object> {
    return {
      success: true,
      data: await this.endpoints.rotateSecret(id, session, revokePrevious ?? false),
    };
  }
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

function presentWithHealth({ health, ...endpoint }: EndpointWithHealth) {
  return { ...present(endpoint), health };
}
