import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { context, ROOT_CONTEXT } from '@opentelemetry/api';

/** Safe in a header and a log line; nothing with the form of a key, secret or token. */
const SAFE = /^(?!apw_|whsec_|sk_|eyJ)[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/;

/** Cheaper than a UUID per request. */
const PROCESS_ID = randomBytes(6).toString('hex');
let requests = 0;

export interface Reader {
  readonly kind: 'user' | 'key';
  readonly id: string;
}

/** The session's user and account, and the address. */
export interface RequestActor {
  readonly userId: string;
  readonly accountId: string;
  readonly address: string;
}

/** For the line at a request's end. */
export class RequestNotes {
  readonly startedAt = performance.now();
  readers: readonly Reader[] | undefined;
  actor: RequestActor | undefined;
  isStatic = false;
  walletId: string | undefined;
  transactionId: string | undefined;
  decision: string | undefined;
  amount: number | undefined;
  isReplayed: true | undefined;
  /** Request of the payment, if another one. */
  paymentRequestId: string | undefined;
  code: string | undefined;
  onDecided: (() => void) | undefined;

  constructor(readonly id: string) {}
}

const current = new AsyncLocalStorage<RequestNotes | undefined>();

/** The client's own, if safe. */
export function requestId(given: string | string[] | undefined): string {
  if (typeof given === 'string' && SAFE.test(given)) return given;
  return `${PROCESS_ID}-${(requests += 1).toString(36)}`;
}

/** Log lines of `work` carry the request's id. */
export function withRequestId<T>(id: string, work: () => T): T {
  return current.run(new RequestNotes(id), work);
}

export function withNotes<T>(notes: RequestNotes, work: () => T): T {
  return current.run(notes, work);
}

/** For batches and loops that a request happened to start. */
export function withoutRequestId<T>(work: () => T): T {
  return current.run(undefined, () => context.with(ROOT_CONTEXT, work));
}

export function currentRequestId(): string | undefined {
  return current.getStore()?.id;
}

/** Sets the readers whose shares bound this request's reads. */
export function readFor(...readers: readonly Reader[]): void {
  const notes = current.getStore();
  if (notes) notes.readers = readers;
}

export function actAs(actor: RequestActor): void {
  const notes = current.getStore();
  if (notes) notes.actor = actor;
}

export function currentActor(): RequestActor | undefined {
  return current.getStore()?.actor;
}

export function note(
  fields: Partial<
    Pick<RequestNotes, 'walletId' | 'transactionId' | 'decision' | 'amount' | 'paymentRequestId'>
  >,
): void {
  const notes = current.getStore();
  if (notes) Object.assign(notes, fields);
}

export function currentReaders(): readonly Reader[] {
  return current.getStore()?.readers ?? [];
}
