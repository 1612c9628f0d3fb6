import { Injectable } from '@nestjs/common';
import { EventEmitter2, EventEmitterReadinessWatcher, OnEvent } from '@nestjs/event-emitter';
import type { Tx } from '../database/tx.js';
import { Jobs } from '../jobs/jobs.js';

/**
 * A class of events: what happened, in the past tense, as plain JSON. `type` is its name on record.
 * Events are published in the transaction that makes them true, and nowhere else.
 */
export interface EventClass<E extends object = object> {
  new (...args: never[]): E;
  readonly type: string;
}

type InTransactionHandler<E> = (events: readonly E[], tx: Tx) => Promise<void> | void;
type AfterCommitHandler<E> = (events: readonly E[]) => Promise<void> | void;
type PrefetchHandler = (walletIds: readonly string[], tx: Tx) => Promise<void> | void;

/** A decorator for methods that are a `Handler`. */
type Subscribe<Handler> = <Method extends Handler>(
  target: object,
  name: string | symbol,
  method: TypedPropertyDescriptor<Method>,
) => void;

// By default Nest swallows what a handler throws: then nothing would be rolled back.
const subscribe = (name: string) => OnEvent(name, { suppressErrors: false });

const prefetchOf = (event: EventClass): string => `${event.type}#prefetch`;

/** Handles all events of one publication in the publisher's transaction; a throw rolls it back. */
export const InTransaction = <E extends object>(event: EventClass<E>) =>
  subscribe(event.type) as unknown as Subscribe<InTransactionHandler<E>>;

/**
 * Handles the events after their commit, as one durable job: see {@link Jobs}. The job is named after the method, so
 * that a queued one survives a new version of the service.
 */
export const AfterCommit =
  <E extends object>(event: EventClass<E>): Subscribe<AfterCommitHandler<E>> =>
  (target, method, descriptor) => {
    subscribe(`${event.type} ${target.constructor.name}.${String(method)}`)(target, method, descriptor);
  };

/**
 * Reads what a handler of the same class will need of these wallets, in the round trip that the decision makes anyway.
 * The event may not come. The method must not write.
 */
export const Prefetch = <E extends object>(event: EventClass<E>) =>
  subscribe(prefetchOf(event)) as unknown as Subscribe<PrefetchHandler>;

type Listener = (...args: unknown[]) => Promise<void>;

/**
 * The bus between the contexts, on Nest's event emitter. Reads go by port, writes by event.
 * The job table is the outbox: jobs are written in the publisher's transaction.
 */
@Injectable()
export class Events {
  private readonly afterCommit = new Map<string, readonly string[]>();
  /** Cached: the emitter builds a new list at each call. */
  private readonly listeners = new Map<string, readonly Listener[]>();

  constructor(
    private readonly emitter: EventEmitter2,
    private readonly watcher: EventEmitterReadinessWatcher,
    private readonly jobs: Jobs,
  ) {}

  /** Waits until every handler is subscribed; throws if one could not be. */
  async ready(): Promise<void> {
    await this.watcher.waitUntilReady();
    for (const name of this.emitter.eventNames().map(String)) {
      this.listeners.set(name, this.emitter.listeners(name) as unknown as Listener[]);
      const [, type] = /^(\S+) \S+\.\S+$/.exec(name) ?? [];
      if (type === undefined) continue;
      this.afterCommit.set(type, [...(this.afterCommit.get(type) ?? []), name]);
      this.jobs.define<readonly object[]>(name, async (events) => {
        for (const listener of this.listenersOf(name)) await listener(events);
      });
    }
  }

  /**
   * Runs the in-transaction handlers one after the other and writes one job per after-commit handler.
   * All-or-nothing with `tx`. Throws what a handler throws, and an Error if no handler subscribes to the class.
   */
  async publish<E extends object>(events: readonly E[], tx: Tx): Promise<void> {
    const [first] = events;
    if (!first) return;
    const { type } = first.constructor as EventClass;
    const listeners = this.listenersOf(type);
    const jobs = this.afterCommit.get(type) ?? [];
    if (listeners.length + jobs.length === 0) throw new Error(`no handler subscribes to the event ${type}`);
    // `emitAsync` would start all of them at once, and an error of one would leave the others running.
    for (const listener of listeners) await listener(events, tx);
    for (const job of jobs) this.jobs.schedule(tx, job, events);
  }

  /** Prefetches what handlers of `event` will need of these wallets: see {@link Prefetch}. */
  async prefetch(event: EventClass, walletIds: readonly string[], tx: Tx): Promise<void> {
    await Promise.all(this.listenersOf(prefetchOf(event)).map((listener) => listener(walletIds, tx)));
  }

  private listenersOf(name: string): readonly Listener[] {
    return this.listeners.get(name) ?? [];
  }
}
