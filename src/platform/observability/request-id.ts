import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';

/** An id of a client is taken over only when it is short and can be put into a header and a log line as it is. */
const SAFE = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/;

/** Tells the requests of this process from those of any other; a UUID for each would cost more than its parsing. */
const PROCESS_ID = randomBytes(6).toString('hex');
let requests = 0;

/** A user or an API key. */
export interface Reader {
  readonly kind: 'user' | 'key';
  readonly id: string;
}

interface RequestContext {
  readonly id: string;
  /** Who it reads for, each with a share of what reads: see {@link readFor}. */
  readers?: readonly Reader[];
}

const current = new AsyncLocalStorage<RequestContext | undefined>();

/** The id of a request: what the client calls it, else one of our own. */
export function requestId(given: string | string[] | undefined): string {
  if (typeof given === 'string' && SAFE.test(given)) return given;
  return `${PROCESS_ID}-${(requests += 1).toString(36)}`;
}

/** Runs `work` so that every log line it writes, however late, carries the id of its request. */
export function withRequestId<T>(id: string, work: () => T): T {
  return current.run({ id }, work);
}

/** Runs `work` for no request in particular: a batch, loop or connection that some request happened to start. */
export function withoutRequestId<T>(work: () => T): T {
  return current.run(undefined, work);
}

/** The id of the request that is being worked on, if there is one. */
export function currentRequestId(): string | undefined {
  return current.getStore()?.id;
}

/** Says who the current request reads for, once it is known: an API key and its owner, or a user. None can take all reads. */
export function readFor(...readers: readonly Reader[]): void {
  const context = current.getStore();
  if (context) context.readers = readers;
}

/** Who the current request reads for; nobody where that is not known, or there is no request. */
export function currentReaders(): readonly Reader[] {
  return current.getStore()?.readers ?? [];
}
