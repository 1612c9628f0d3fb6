import { createHmac, randomUUID } from 'node:crypto';
import type { Clock } from './clock.ts';
import type { Json } from './json.ts';

/** How a delivery is signed: as the bank does, over the bytes as sent, with a wrong key, over all of the body, not. */
export type Signing = 'good' | 'as-sent' | 'wrong-key' | 'whole-body' | 'none';
/** What becomes of a delivery by itself. */
export type DeliveryMode = 'send' | 'hold' | 'drop';

export interface WebhookShape {
  readonly event?: string;
  readonly sign?: Signing;
  readonly mode?: DeliveryMode;
  /** Members of `data` to add or replace after signing. */
  readonly tamper?: Json;
  /** Sends letters outside of ASCII as `\u` escapes. */
  readonly escaped?: boolean;
  /** How often the same body is sent. */
  readonly times?: number;
}

export interface Delivery {
  readonly id: string;
  readonly url: string | undefined;
  readonly event: string;
  readonly reference: string;
  readonly body: string;
  readonly signature: string | null;
  state: 'waiting' | 'held' | 'dropped' | 'delivered' | 'given-up';
  readonly attempts: { readonly at: string; readonly status: number | null }[];
}

export interface OutboxOptions {
  readonly secret: string;
  /** What goes wrong with a new delivery; what the delivery itself says counts more. */
  readonly fault?: () => WebhookShape;
  /** Virtual ms from a change to the first attempt. */
  readonly firstTry: () => number;
  /** Virtual ms between attempts; the last one repeats. */
  readonly retryMs: readonly number[];
  /** Virtual ms after which it is given up. */
  readonly giveUpMs: number;
  /** Real ms an attempt may take. */
  readonly timeoutMs: number;
}

const DELIVERIES_MAX = 100_000;

/** Webhooks on their way: signed, sent again until answered with 200, or held and dropped on command. */
export class Outbox {
  readonly deliveries = new Map<string, Delivery>();
  mode: DeliveryMode = 'send';
  readonly #clock: Clock;
  readonly #options: OutboxOptions;

  constructor(clock: Clock, options: OutboxOptions) {
    this.#clock = clock;
    this.#options = options;
  }

  /** Makes a delivery and plans its first attempt. */
  add(url: string | undefined, event: string, data: Json, given: WebhookShape = {}): Delivery {
    const shape = { ...this.#options.fault?.(), ...given };
    const signed = JSON.stringify(data);
    const sent = shape.tamper ? JSON.stringify({ ...data, ...shape.tamper }) : signed;
    const name = shape.event ?? event;
    const text = `{"event":${JSON.stringify(name)},"data":${sent}}`;
    const body = shape.escaped ? escapeLetters(text) : text;
    const delivery: Delivery = {
      id: randomUUID(),
      url,
      event: name,
      reference: String(data.reference),
      body,
      signature: this.#sign(shape.sign ?? 'good', signed, body),
      state: 'waiting',
      attempts: [],
    };
    if (this.deliveries.size >= DELIVERIES_MAX) throw new Error('too many deliveries: reset the fake bank');
    this.deliveries.set(delivery.id, delivery);
    const mode = shape.mode ?? this.mode;
    if (mode !== 'send') delivery.state = mode === 'hold' ? 'held' : 'dropped';
    else for (let n = 0; n < (shape.times ?? 1); n += 1) this.#plan(delivery);
    return delivery;
  }

  hold(id: string): void {
    this.#find(id).state = 'held';
  }

  drop(id: string): void {
    this.#find(id).state = 'dropped';
  }

  /** Lets a held delivery go on, from now. */
  release(id: string): void {
    const delivery = this.#find(id);
    delivery.state = 'waiting';
    this.#plan(delivery, 0);
  }

  /** Sends a delivery again at once, `times` times side by side, whatever its state; answers the statuses. */
  redeliver(id: string, times = 1): Promise<(number | null)[]> {
    const delivery = this.#find(id);
    return Promise.all(Array.from({ length: times }, () => this.#attempt(delivery)));
  }

  #find(id: string): Delivery {
    const delivery = this.deliveries.get(id);
    if (!delivery) throw new Error(`no such delivery: ${id}`);
    return delivery;
  }

  #plan(delivery: Delivery, afterMs = this.#options.firstTry(), retry = 0, since = this.#clock.now()): void {
    this.#clock.after(afterMs, async () => {
      const { state } = delivery;
      if (state === 'held' || state === 'dropped' || (retry > 0 && state === 'delivered')) return;
      const status = await this.#attempt(delivery);
      if (status === 200) return;
      const { retryMs, giveUpMs } = this.#options;
      const wait = retryMs[Math.min(retry, retryMs.length - 1)]!;
      if (this.#clock.now() + wait - since > giveUpMs) delivery.state = 'given-up';
      else this.#plan(delivery, wait, retry + 1, since);
    });
  }

  async #attempt(delivery: Delivery): Promise<number | null> {
    const at = this.#clock.iso();
    const status = delivery.url ? await this.#post(delivery.url, delivery) : null;
    delivery.attempts.push({ at, status });
    if (status === 200) delivery.state = 'delivered';
    return status;
  }

  async #post(url: string, { body, signature }: Delivery): Promise<number | null> {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(signature && { 'x-korapay-signature': signature }),
        },
        body,
        redirect: 'manual',
        signal: AbortSignal.timeout(this.#options.timeoutMs),
      });
      await response.arrayBuffer();
      return response.status;
    } catch {
      return null;
    }
  }

  #sign(signing: Signing, data: string, body: string): string | null {
    if (signing === 'none') return null;
    const key = signing === 'wrong-key' ? `${this.#options.secret}?` : this.#options.secret;
    const printed = JSON.stringify(JSON.parse(data));
    const text = signing === 'as-sent' ? data : signing === 'whole-body' ? body : printed;
    return createHmac('sha256', key).update(text).digest('hex');
  }
}

function escapeLetters(text: string): string {
  return text.replace(
    /[\u0080-\uffff]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
