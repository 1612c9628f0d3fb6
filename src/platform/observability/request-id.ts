import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';

/** Safe in a header and a log line. */
const SAFE = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/;

/** Cheaper than a UUID per request. */
const PROCESS_ID = randomBytes(6).toString('hex');
let requests = 0;

export interface Reader {
  readonly kind: 'user' | 'key';
  readonly id: string;
}

interface RequestContext {
  readonly id: string;
  readers?: readonly Reader[];
}

const current = new AsyncLocalStorage<RequestContext | undefined>();

/** The client's own, if safe. */
export function requestId(given: string | string[] | undefined): string {
  if (typeof given === 'string' && SAFE.test(given)) return given;
  return `${PROCESS_ID}-${(requests += 1).toString(36)}`;
}

/** Log lines of `work` carry the request's id. */
export function withRequestId<T>(id: string, work: () => T): T {
  return current.run({ id }, work);
}

/** For batches and loops that a request happened to start. */
export function withoutRequestId<T>(work: () => T): T {
  return current.run(undefined, work);
}

export function currentRequestId(): string | undefined {
  return current.getStore()?.id;
}

/** Sets the readers whose shares bound this request's reads. */
export function readFor(...readers: readonly Reader[]): void {
  const context = current.getStore();
  if (context) context.readers = readers;
}

export function currentReaders(): readonly Reader[] {
  return current.getStore()?.readers ?? [];
}
