import { LRUCache } from 'lru-cache';
import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { leastIdAt, newId } from '../../../kernel/ids.js';
import { LimitedLog } from '../../../platform/observability/limited-log.js';
import type { SecretBox } from '../../../platform/security/secret-box.js';
import type { PaymentLoad } from '../../payments/payments.port.js';
import { activeSecrets } from '../endpoints/endpoints.domain.js';
import {
  attemptLine,
  type Claimed,
  type DeliveryQueue,
  type Finished,
  isGone,
  verdictOf,
  type Wanted,
} from './deliveries.domain.js';
import { EndpointThrottle } from './endpoint-throttle.js';
import { ATTEMPT_MS_MAX, type Sender } from './sender.js';
import { sendTraced } from './sent-traced.js';
import { sleep, withRetry } from './with-retry.js';

/** A claim outlives the longest attempt, so an expired one belongs to a dead process. */
const LEASE_MS = ATTEMPT_MS_MAX + 5_000;
const LEASE_MARGIN_MS = 1_000;
/** Polling for retries and for deliveries of other replicas. Local commits wake the loop. */
const TICK_MS = 200;
const IDLE_TICK_MS = 1_000;
/** Debounces wake-ups. */
const WAKE_MS = 15;
const RECORD_MS = 12;
/** Attempts in progress; at most half for endpoints that are not proven fast. */
const IN_FLIGHT_MAX = 1_024;
const ENDPOINTS_AT_ONCE = 64;
const BESIDE_PAYMENTS_MAX = 40;
const BESIDE_PAYMENTS_PAUSE_MS = 40;
/** Time attempts may take to finish at shutdown. */
const DRAIN_MS_MAX = 3_000;
const ABORT_MS_MAX = 2_000;
const KEEP_DAYS = 30;
const PURGE_EVERY_MS = 10 * 60 * 1_000;
const PURGE_BATCH = 5_000;
const PURGE_BATCHES_MAX = 20;
const SECRETS_MAX = 1_000;

/**
 * Claims, sends and records deliveries; replicas share the rows as a queue. An {@link EndpointThrottle} each keeps slow
 * endpoints from delaying others.
 */
@Injectable()
export class Dispatcher implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger(Dispatcher.name);
  private readonly limitedLog = new LimitedLog(this.log);
  private readonly warn = (what: string) => (error: unknown) => this.log.warn(`${what}: ${String(error)}`);
  private readonly throttles = new Map<string, EndpointThrottle>();
  /** Endpoints that may have more to send, and when the oldest of each became due. */
  private readonly endpointsWithBacklog = new Map<string, Date>();
  private readonly finished: { record: Finished; url: string; done: () => void }[] = [];
  private readonly opened = new LRUCache<string, { readonly secret: string | null }>({ max: SECRETS_MAX });
  private inFlight = 0;
  private inFlightUnproven = 0;
  private lastScanAt = 0;
  private sleepMs = TICK_MS;
  private stopping = false;
  private wakeLoop: () => void = () => undefined;
  private wakeCount = 0;
  private waking: NodeJS.Timeout | undefined;
  private pumping: Promise<void> = Promise.resolve();
  private recording: Promise<void> | undefined;
  private purging: NodeJS.Timeout | undefined;

  constructor(
    private readonly queue: DeliveryQueue,
    private readonly sender: Sender,
    private readonly box: SecretBox,
    private readonly schedule: readonly number[],
    private readonly payments: PaymentLoad,
    private readonly onRecorded: (batch: readonly Finished[]) => void = () => undefined,
  ) {}

  onApplicationBootstrap(): void {
    this.pumping = this.pump();
    this.purging = setInterval(() => {
      this.purgeExpired().catch(this.warn('purge of old webhook deliveries failed'));
    }, PURGE_EVERY_MS);
  }

  /** Waits shortly for attempts in progress, aborts the rest and records all of them. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    clearInterval(this.purging);
    clearTimeout(this.waking);
    this.wakeLoop();
    await this.pumping;
    const until = performance.now() + DRAIN_MS_MAX;
    while (this.inFlight > 0 && performance.now() < until) await sleep(20);
    this.sender.abort();
    const abortedUntil = performance.now() + ABORT_MS_MAX;
    while (this.inFlight > 0 && performance.now() < abortedUntil) await sleep(20);
    await this.sender.close();
  }

  /** Called after a commit that made deliveries due. */
  wake(): void {
    this.waking ??= setTimeout(() => {
      this.waking = undefined;
      this.lastScanAt = 0;
      this.wakeNow();
    }, WAKE_MS);
  }

  private wakeNow(): void {
    this.wakeCount += 1;
    this.wakeLoop();
  }

  private async pump(): Promise<void> {
    while (!this.stopping) {
      const { wakeCount } = this;
      try {
        await this.round();
      } catch (error) {
        this.limitedLog.errorLine(`webhook delivery loop failed: ${String(error)}`);
        await sleep(1_000);
      }
      if (this.yieldsToPayments) await sleep(BESIDE_PAYMENTS_PAUSE_MS);
      if (this.wakeCount === wakeCount) await this.sleepUntilWoken();
    }
  }

  private get yieldsToPayments(): boolean {
    return this.payments.pendingDecisions > 0;
  }

  private sleepUntilWoken(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.sleepMs);
      this.wakeLoop = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.stopping) this.wakeLoop();
    });
  }

  private async round(): Promise<void> {
    const now = performance.now();
    if (now - this.lastScanAt >= TICK_MS || this.lastScanAt === 0) {
      this.lastScanAt = now;
      const { endpoints, isAnyPending } = await this.queue.due(LEASE_MS);
      for (const { id, since } of endpoints) this.endpointsWithBacklog.set(id, since);
      this.sleepMs = isAnyPending || this.inFlight > 0 ? TICK_MS : IDLE_TICK_MS;
      this.dropIdleThrottles(now);
    }
    const wanted = this.wanted();
    if (wanted.length === 0) return;
    const claim = newId();
    const askedAt = performance.now();
    const claimed = await this.queue.claim(wanted, claim, LEASE_MS);
    const byEndpoint = Map.groupBy(claimed, ({ endpointId }) => endpointId);
    for (const { endpointId, availableSlots, since } of wanted) {
      this.throttleOf(endpointId).serve(now);
      this.endpointsWithBacklog.delete(endpointId);
      if ((byEndpoint.get(endpointId)?.length ?? 0) === availableSlots)
        this.endpointsWithBacklog.set(endpointId, since);
    }
    for (const delivery of claimed) if (delivery.isEnabled) void this.sendOne(delivery, claim, askedAt);
    for (const [endpointId, [first]] of byEndpoint) {
      if (!first?.isEnabled) await this.queue.cancelPending(endpointId, 'the endpoint is disabled', claim);
    }
    if (this.wanted().length > 0) this.wakeCount += 1;
  }

  private wanted(): Wanted[] {
    const now = performance.now();
    let left = IN_FLIGHT_MAX - this.inFlight;
    if (this.yieldsToPayments) left = Math.min(left, BESIDE_PAYMENTS_MAX);
    const ready = [...this.endpointsWithBacklog]
      .map(([endpointId, since]) => ({ endpointId, since, throttle: this.throttleOf(endpointId) }))
      .filter(({ throttle }) => throttle.readySlots(now) > 0)
      .sort((a, b) => a.throttle.turn - b.throttle.turn);
    const share = this.yieldsToPayments ? Math.ceil(left / ready.length) : left;
    let leftUnproven = IN_FLIGHT_MAX / 2 - this.inFlightUnproven;
    const wanted: Wanted[] = [];
    for (const { endpointId, since, throttle } of ready) {
      if (left <= 0 || wanted.length >= ENDPOINTS_AT_ONCE) break;
      const placesLeft = throttle.isUnproven ? Math.min(left, leftUnproven) : left;
      const availableSlots = Math.min(throttle.readySlots(now), placesLeft, share);
      if (availableSlots <= 0) continue;
      wanted.push({ endpointId, availableSlots, since });
      left -= availableSlots;
      if (throttle.isUnproven) leftUnproven -= availableSlots;
    }
    return wanted;
  }

  /** `askedAt`: start of the claim, by the monotonic clock. */
  private async sendOne(delivery: Claimed, claim: string, askedAt: number): Promise<void> {
    const { id: deliveryId, endpointId, eventId, url, body, tries } = delivery;
    const throttle = this.throttleOf(endpointId);
    const wasUnproven = throttle.isUnproven;
    throttle.inFlight += 1;
    this.inFlight += 1;
    if (wasUnproven) this.inFlightUnproven += 1;
    const secrets = activeSecrets(delivery.secrets, delivery.claimedAt)
      .map(({ sealed }) => this.open(sealed, endpointId))
      .filter((secret) => secret !== null);
    // The database's clock: receivers refuse old timestamps.
    const at = new Date(delivery.claimedAt.getTime() + Math.round(performance.now() - askedAt));
    const sendBefore = askedAt + LEASE_MS - LEASE_MARGIN_MS;
    const message = { id: eventId, url, body, secrets, at, sendBefore };
    const attempt = await sendTraced(this.sender, delivery, message);
    const verdict = verdictOf(attempt, tries + 1, this.schedule, Math.random());
    if (!attempt.interrupted)
      throttle.note(verdict.status === 'succeeded', performance.now(), attempt.durationMs);
    const record = { deliveryId, endpointId, claim, attempt, verdict };
    this.log.log(attemptLine(delivery, record), 'webhook attempt');
    if (!attempt.unsent) await this.enqueueRecord({ record, url });
    throttle.inFlight -= 1;
    this.inFlight -= 1;
    if (wasUnproven) this.inFlightUnproven -= 1;
    if (this.endpointsWithBacklog.has(endpointId) && throttle.isHalfFree) this.wakeNow();
  }

  private enqueueRecord(finished: { readonly record: Finished; readonly url: string }): Promise<void> {
    return new Promise((done) => {
      this.finished.push({ ...finished, done });
      this.recording ??= this.recordAll();
    });
  }

  private async recordAll(): Promise<void> {
    while (this.finished.length > 0) {
      await sleep(RECORD_MS);
      const batch = this.finished.splice(0, 500);
      await this.record(batch).catch((error: unknown) => {
        // They are sent again when their claims run out: at least once.
        this.log.error(`${batch.length} attempts could not be recorded: ${String(error)}`);
      });
      for (const { done } of batch) done();
    }
    this.recording = undefined;
  }

  private async record(batch: readonly { record: Finished; url: string }[]): Promise<void> {
    const records = batch.map(({ record }) => record);
    const overdue = await withRetry(() => this.queue.record(records));
    this.onRecorded(records);
    for (const id of overdue) await this.disable(id, 'every delivery failed for 5 days', null);
    const gone = batch.filter(({ record }) => isGone(record.attempt));
    for (const [id, url] of new Map(gone.map(({ record, url }) => [record.endpointId, url])))
      await this.disable(id, 'the receiver answered 410 Gone', url);
  }

  private async disable(endpointId: string, reason: string, url: string | null): Promise<void> {
    const disabled = await this.queue.disableEndpoint(endpointId, reason, url);
    if (!disabled) return;
    this.log.warn({ endpointId, reason }, 'a webhook endpoint is disabled');
    const rest = this.queue.cancelRest(endpointId, `the endpoint is disabled: ${reason}`);
    rest.catch(this.warn('not all deliveries were given up'));
  }

  private throttleOf(endpointId: string): EndpointThrottle {
    let throttle = this.throttles.get(endpointId);
    if (!throttle) this.throttles.set(endpointId, (throttle = new EndpointThrottle()));
    return throttle;
  }

  private dropIdleThrottles(now: number): void {
    for (const [id, throttle] of this.throttles) {
      if (!this.endpointsWithBacklog.has(id) && throttle.isIdle(now)) this.throttles.delete(id);
    }
  }

  private open(sealed: string, endpointId: string): string | null {
    const key = `${endpointId} ${sealed}`;
    let opened = this.opened.get(key);
    if (!opened) this.opened.set(key, (opened = { secret: this.box.open(sealed, endpointId) }));
    return opened.secret;
  }

  private async purgeExpired(): Promise<void> {
    const floor = leastIdAt((await this.queue.now()).getTime() - KEEP_DAYS * 24 * 60 * 60 * 1_000);
    for (let i = 0; i < PURGE_BATCHES_MAX && !this.stopping; i += 1) {
      if ((await this.queue.purgeBefore(floor, PURGE_BATCH)) < PURGE_BATCH) return;
    }
  }
}
