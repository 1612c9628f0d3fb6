import { createHmac } from 'node:crypto';
import type { Server } from 'node:http';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { Config } from '../../../platform/config.js';
import { type Kobo, nairaFromKobo } from '../../../kernel/money.js';
import type { Collection, Payout } from '../bank.port.js';
import { laterOutcome } from './sandbox-outcomes.js';

const DELIVERY_DEADLINE_MS = 10_000;
/** Past it the service must poll. */
const AWAITED_MAX = 1_000;
/** Milliseconds after the change, so that a poll finds it. */
const REPORT_DELAY_MS = 100;

@Injectable()
export class SandboxReports {
  private awaited = 0;

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly config: Config,
  ) {}

  /** False: not taken; reconciliation will find the money. */
  reportCollection(collection: Collection, accountNumber: string): Promise<boolean> {
    const { reference, currency, amount, narration, accountReference, at } = collection;
    return this.deliver('/api/webhooks', 'charge.success', amount, {
      reference,
      currency,
      amount: 0,
      fee: 0,
      status: 'success',
      narration,
      virtual_bank_account_details: {
        virtual_bank_account: { account_number: accountNumber, account_reference: accountReference },
      },
      transaction_date: at,
    });
  }

  /** Only while listening; not repeated if lost. */
  reportLater({ accountNumber, reference, amount }: Payout): void {
    const later = laterOutcome(accountNumber);
    if (!later || this.awaited >= AWAITED_MAX) return;
    this.awaited += 1;
    const status = later.state.kind === 'succeeded' ? 'success' : later.state.kind;
    setTimeout(() => {
      const { listening } = this.host.httpAdapter.getHttpServer() as Server;
      const data = { fee: 0, amount: 0, status, currency: 'NGN', reference };
      const reported = listening && this.deliver('/api/webhooks/payouts', `transfer.${status}`, amount, data);
      void Promise.resolve(reported).finally(() => (this.awaited -= 1));
    }, later.afterMs + REPORT_DELAY_MS).unref();
  }

  /** Through the routes and not the port, which a service that stops has closed. Replaces the placeholder 0, without a float. */
  private async deliver(path: string, event: string, amount: Kobo, fields: object): Promise<boolean> {
    const data = JSON.stringify(fields).replace('"amount":0', `"amount":${nairaFromKobo(amount)}`);
    const secret = this.config.WEBHOOK_SECRET;
    const service = this.host.httpAdapter.getInstance<FastifyInstance>();
    const answer = await service
      .inject({
        method: 'POST',
        url: path,
        headers: {
          'content-type': 'application/json',
          ...(secret && { 'x-korapay-signature': createHmac('sha256', secret).update(data).digest('hex') }),
        },
        payload: `{"event":"${event}","data":${data}}`,
        signal: AbortSignal.timeout(DELIVERY_DEADLINE_MS),
      })
      .catch(() => undefined);
    return answer !== undefined && answer.statusCode < 300;
  }
}
