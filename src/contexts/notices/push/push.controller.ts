import { Body, Controller, Delete, Get, Param, Post, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { IdParam, Operation } from '../../../platform/http/api/operation.js';
import { StrictQuery } from '../../../platform/http/api/strict-query.js';
import type { SessionUser } from '../../identity/identity.port.js';
import { Authenticated, Can, Session } from '../../identity/session.guard.js';
import {
  PushSubscriptionRequest,
  PushSubscriptionResponse,
  PushSubscriptionsResponse,
  type PushSubscriptionView,
  RemovedPushSubscriptionResponse,
} from './push.dto.js';
import type { PushSubscription } from './push.entity.js';
import { PushSubscriptions } from './push-subscriptions.service.js';

const DEVICE_LENGTH_MAX = 300;

@ApiTags('notifications')
@Controller('v1/push-subscriptions')
@Authenticated()
export class PushController {
  constructor(private readonly subscriptions: PushSubscriptions) {}

  @Get()
  @StrictQuery()
  @Can('wallets.read')
  @Operation({
    id: 'listPushSubscriptions',
    summary: 'List the browsers that notifications of the signed-in user are pushed to',
    answers: PushSubscriptionsResponse,
  })
  async list(@Session() { userId }: SessionUser): Promise<PushSubscriptionsResponse> {
    const data = (await this.subscriptions.list(userId)).map(present);
    return { success: true, data, publicKey: await this.subscriptions.publicKey() };
  }

  @Post()
  @Can('wallets.read')
  @Operation({
    id: 'addPushSubscription',
    summary: 'Have notifications pushed to a browser',
    description:
      'Until the session ends in which it was sent. The same endpoint again moves to this session.',
    status: 201,
    answers: PushSubscriptionResponse,
    errors: ['VALIDATION_ERROR'],
  })
  async add(
    @Body() { endpoint, p256dh, auth }: PushSubscriptionRequest,
    @Session() session: SessionUser,
    @Req() { headers }: FastifyRequest,
  ): Promise<PushSubscriptionResponse> {
    const device = headers['user-agent']?.slice(0, DEVICE_LENGTH_MAX) ?? null;
    const added = await this.subscriptions.add(session, { endpoint, p256dh, auth, device });
    return { success: true, data: present(added) };
  }

  @Delete(':subscriptionId')
  @IdParam('subscriptionId', 'The id of a browser’s subscription.')
  @Can('self')
  @Operation({
    id: 'removePushSubscription',
    summary: 'Push nothing more to a browser',
    answers: RemovedPushSubscriptionResponse,
    errors: ['PUSH_SUBSCRIPTION_NOT_FOUND'],
  })
  async remove(
    @Param('subscriptionId') id: string,
    @Session() session: SessionUser,
  ): Promise<RemovedPushSubscriptionResponse> {
    await this.subscriptions.remove(session, id);
    return { success: true, data: { id: id.toLowerCase() } };
  }
}

function present({ id, endpoint, device, createdAt }: PushSubscription): PushSubscriptionView {
  return { id, endpoint, device, createdAt };
}
