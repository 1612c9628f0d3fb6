import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isUuid } from '../../kernel/text.js';
import type { RequestNotes } from './request-id.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null before the first hook. */
    notes: RequestNotes | null;
  }
}

export interface LineLog {
  info(fields: object, message: string): void;
  debug(fields: object, message: string): void;
  isLevelEnabled(level: string): boolean;
}

/** Writes one line for each request, at the end of its answer. */
export class RequestLog {
  private readonly isOff: boolean;

  constructor(
    private readonly log: LineLog,
    private readonly approvedSample: number,
  ) {
    this.isOff = !log.isLevelEnabled('info');
  }

  follow(request: FastifyRequest, { raw }: FastifyReply): void {
    if (!this.isOff) raw.on('close', () => this.end(request, raw));
  }

  refused(requestId: string, status: number, code: string): void {
    this.log.info({ requestId, method: null, route: null, status, code }, 'request');
  }

  private end(request: FastifyRequest, response: ServerResponse): void {
    const { notes } = request;
    if (!notes) return;
    // A payment goes on without its client.
    if (!response.headersSent) notes.onDecided = () => this.write(request, notes, response);
    this.write(request, notes, response);
  }

  private write(request: FastifyRequest, notes: RequestNotes, response: ServerResponse): void {
    const { decision, transactionId } = notes;
    if (decision === 'approved' && !isSampled(transactionId ?? '', this.approvedSample)) return;
    const { walletId = (request.params as { walletId?: string } | undefined)?.walletId } = notes;
    const route = request.routeOptions.url ?? null;
    const line = {
      requestId: notes.id,
      method: request.method,
      // The address may hold secrets.
      route,
      status: response.headersSent ? response.statusCode : null,
      durationMs: Math.round((performance.now() - notes.startedAt) * 100) / 100,
      isAborted: response.writableFinished ? undefined : true,
      walletId: isUuid(walletId) ? walletId : undefined,
      transactionId,
      decision,
      amount: notes.amount,
      isReplayed: notes.isReplayed,
      paymentRequestId: notes.paymentRequestId,
      code: notes.code,
    };
    if (notes.isStatic || route?.startsWith('/health/')) this.log.debug(line, 'request');
    else this.log.info(line, 'request');
  }
}

/** By the id's random end: equal for all lines of a payment, in every replica. */
export function isSampled(transactionId: string, share: number): boolean {
  return share >= 1 || Number.parseInt(transactionId.slice(-6), 16) < share * 0x1000000;
}
