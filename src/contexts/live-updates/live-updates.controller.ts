import { Controller, Get, Header, Headers, Req, StreamableFile } from '@nestjs/common';
import { ApiHeader, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Operation } from '../../platform/http/api/operation.js';
import { clientNetwork } from '../../platform/security/client-network.js';
import type { SessionUser } from '../identity/identity.port.js';
import { Authenticated, Can, Session } from '../identity/session.guard.js';
import { LiveUpdatesService } from './live-updates.service.js';

const TYPE = 'text/event-stream; charset=utf-8';

@ApiTags('events')
@Controller('v1/events')
@Authenticated()
export class LiveUpdatesController {
  constructor(private readonly updates: LiveUpdatesService) {}

  @Get()
  @Header('X-Accel-Buffering', 'no')
  @ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    description:
      'The id of the last event received: the stream goes on right behind it where that is still known.',
    schema: { type: 'string' },
  })
  @Can('wallets.read')
  @Operation({
    id: 'streamEvents',
    summary: 'Follow the changes of the account, as server-sent events',
    description:
      'Each event’s data is JSON with a `type`: `payment` (walletId, transactionId or null for several), `withdrawal` (walletId, withdrawalId: it was paid out or came back), `key` (a key of walletId was used), `approval` (a payment of walletId waits for approval, or no longer does), `wallet` (its rules, status, keys or payees) and `ledger` (walletId), `delivery` (endpointId). Read again what you show of it. `ready` comes first, unless the stream was resumed: read everything again. An event named `alive` comes every 15 s. The stream ends with the session. Open one per tab: the 21st of a user is answered 429. When the service has as many streams as it takes, a stream of the user with most ends for a new one, or the answer is 503.',
    answers: 'event-stream',
    errors: ['RATE_LIMITED', 'OVERLOADED', 'SHUTTING_DOWN'],
  })
  async stream(
    @Session() session: SessionUser,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Req() { method, ip }: FastifyRequest,
  ): Promise<StreamableFile> {
    if (method === 'HEAD') return new StreamableFile(Buffer.alloc(0), { type: TYPE });
    const { body } = await this.updates.open(session, lastEventId, clientNetwork(ip));
    return new StreamableFile(body, { type: TYPE });
  }
}
