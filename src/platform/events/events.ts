import { Injectable } from '@nestjs/common';
import { EventEmitter2, EventEmitterReadinessWatcher, OnEvent } from '@nestjs/event-emitter';
import type { Tx } from '../database/tx.js';
import { Jobs } from '../jobs/jobs.js';

/** What happened, past tense, plain JSON; published in the transaction that makes it true. */
export interface EventClass<E extends object = object> {
  new (...args: never[]): E;
  readonly type: string;
}

type InTransactionHandler<E> = (events: readonly E[], tx: Tx) => Promise<void> | void;
type AfterCommitHandler<E> = (events: readonly E[]) => Promise<void> | void;
type PrefetchHandler = (walletIds: readonly string[], tx: Tx) => Promise<void> | void;

type Subscribe<Handler> = <Method extends Handler>(
  target: object,
  name: string | symbol,
  method: TypedPropertyDescriptor<Method>,
) => void;

// Nest would swallow errors, and nothing would roll back.
const subscribe = (name: string) => OnEvent(name, { suppressErrors: false });

const prefetchOf = (event: EventClass): string => `${event.type}#prefetch`;

/** Handles events in the publisher's transaction; a throw rolls it back. */
export const InTransaction = <E extends object>(event: EventClass<E>) =>
  subscribe(event.type) as unknown as Subscribe<InTransactionHandler<E>>;

/** Handles events as a durable job. The job is named after the method, so queued ones survive a release. */
export const AfterCommit =
  <E extends object>(event: EventClass<E>): Subscribe<AfterCommitHandler<E>> =>
  (target, method, descriptor) => {
    subscribe(`${event.type} ${target.constructor.name}.${String(method)}`)(target, method, descriptor);
  };

/** Reads ahead for a handler, in the decision's round trip. Must not write. */
export const Prefetch = <E extends object>(event: EventClass<E>) =>
  subscribe(prefetchOf(event)) as unknown as Subscribe<PrefetchHandler>;

type Listener = (...args: unknown[]) => Promise<void>;

/** The bus between contexts, on Nest's emitter. The job table is the outbox. */
@Injectable()
export class Events {
  private readonly afterCommit = new Map<string, readonly string[]>();
  private readonly listeners = new Map<string, readonly Listener[]>();

  constructor(
    private readonly emitter: EventEmitter2,
    private readonly watcher: EventEmitterReadinessWatcher,
    private readonly jobs: Jobs,
  ) {}

  /** Throws if a handler could not subscribe. */
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
   * Runs in-transaction handlers in turn and writes one job per after-commit handler. Throws what a handler
   * throws, and an Error without handlers.
   */
  async publish<E extends object>(events: readonly E[], tx: Tx): Promise<void> {
    const [first] = events;
    if (!first) return;
    const { type } = first.constructor as EventClass;
    const listeners = this.listenersOf(type);
    const jobs = this.afterCommit.get(type) ?? [];
    if (listeners.length + jobs.length === 0) throw new Error(`no handler subscribes to the event ${type}`);
    // `emitAsync` would start all at once.
    for (const listener of listeners) await listener(events, tx);
    for (const job of jobs) this.jobs.schedule(tx, job, events);
  }

  async prefetch(event: EventClass, walletIds: readonly string[], tx: Tx): Promise<void> {
    await Promise.all(this.listenersOf(prefetchOf(event)).map((listener) => listener(walletIds, tx)));
  }

  private listenersOf(name: string): readonly Listener[] {
    return this.listeners.get(name) ?? [];
  }
}
