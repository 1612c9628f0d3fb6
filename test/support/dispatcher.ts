import { afterEach, beforeEach, jest } from '@jest/globals';
import { SecretBox } from '../../src/platform/security/secret-box.js';
import type {
  Claimed,
  DeliveryQueue,
  Wanted,
} from '../../src/contexts/notifications/deliveries/deliveries.domain.js';
import { Dispatcher } from '../../src/contexts/notifications/deliveries/dispatcher.js';
import type { Sender } from '../../src/contexts/notifications/deliveries/sender.js';

/** An attempt that was answered well. */
export const ATTEMPT = {
  at: new Date(0),
  durationMs: 1,
  statusCode: 200,
  response: '',
  error: null,
  retryAfterSeconds: null,
};

/** What there is to send, if nothing else is said. */
export const CLAIMED: Claimed = {
  id: 'a delivery',
  endpointId: 'endpoint 0',
  eventId: 'an event',
  body: '{}',
  requestId: null,
  traceParent: null,
  tries: 0,
  url: 'endpoint 0',
  secrets: [],
  isEnabled: true,
  claimedAt: new Date(0),
};

/** Resolves after so long by the test's clock. */
export const passed = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * A dispatcher of endpoints that always have more to send, and answer at once; those in `failing` with an error. `msOf`
 * tells which of them answer later; `behaviour` and `sending` stand in the place of the queue's own and the sender's.
 */
export function underTest(
  endpointCount: number,
  failing: (endpointId: string) => boolean = () => false,
  msOf: (endpointId: string) => number = () => 1,
  behaviour: Partial<DeliveryQueue> = {},
  sending: Partial<Pick<Sender, 'send' | 'abort' | 'close'>> = {},
) {
  const rounds: Wanted[][] = [];
  const leases = new Set<number>();
  const load = { pendingDecisions: 0 };
  const since = new Date(0);
  const endpoints = Array.from({ length: endpointCount }, (_, i) => ({ id: `endpoint ${i}`, since }));
  const claimed = ({ endpointId }: Wanted): Claimed => ({ ...CLAIMED, endpointId, url: endpointId });
  const queue: DeliveryQueue = {
    due: (leaseMs) => {
      leases.add(leaseMs);
      return Promise.resolve({ endpoints, isAnyPending: true });
    },
    claim: (wanted, _, leaseMs) => {
      leases.add(leaseMs);
      rounds.push([...wanted]);
      return Promise.resolve(
        wanted.flatMap((each) => Array.from({ length: each.availableSlots }, () => claimed(each))),
      );
    },
    now: () => Promise.resolve(new Date()),
    record: () => Promise.resolve([]),
    cancelPending: () => Promise.resolve(0),
    cancelRest: () => Promise.resolve(),
    disableEndpoint: () => Promise.resolve(false),
    purgeBefore: () => Promise.resolve(0),
    ...behaviour,
  };
  const sender = {
    send: async ({ url }: Claimed) => {
      const durationMs = msOf(url);
      if (durationMs > 1) await passed(durationMs);
      return { ...ATTEMPT, durationMs, ...(failing(url) && { statusCode: 500 }) };
    },
    abort: () => undefined,
    close: () => Promise.resolve(),
    ...sending,
  };
  const box = new SecretBox(['a master key'], 'tests');
  const dispatcher = new Dispatcher(queue, sender as unknown as Sender, box, [5], load);
  const begun = (round: readonly Wanted[]): number =>
    round.reduce((sum, { availableSlots }) => sum + availableSlots, 0);
  const begunOf = (id: string): number => begun(rounds.flat().filter(({ endpointId }) => endpointId === id));
  /** Has one more endpoint something due. */
  const join = (id: string) => endpoints.push({ id, since });
  return { dispatcher, load, rounds, leases, begun, begunInAll: () => begun(rounds.flat()), begunOf, join };
}

/** Has tests start dispatchers and wait for `ms` of a clock of their own; what one started is stopped behind it. */
export function useDispatchers(): (dispatcher: Dispatcher, ms: number) => Promise<void> {
  let started: Dispatcher | undefined;
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(async () => {
    const stopped = started?.beforeApplicationShutdown();
    await jest.advanceTimersByTimeAsync(5_000);
    await stopped;
    jest.useRealTimers();
    jest.restoreAllMocks();
  });
  return async (dispatcher, ms) => {
    started = dispatcher;
    dispatcher.onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(ms);
  };
}
