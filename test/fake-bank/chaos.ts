import type { WebhookShape } from './outbox.ts';
import type { Random } from './random.ts';
import type { Matchable, Rule, ScriptedAnswer } from './script.ts';

const html: ScriptedAnswer = {
  status: 502,
  headers: { 'content-type': 'text/html' },
  body: '<html>Bad Gateway</html>',
};
const broken: ScriptedAnswer = {
  status: 500,
  body: { status: false, message: 'Internal Server Error', data: null },
};
const busy: ScriptedAnswer = { status: 429, headers: { 'retry-after': '1' }, body: '' };
/** Virtual ms after which a call that got no answer is taken on. */
const LATE_MS = 20_000;

const FAULTS: readonly Rule[] = [
  { answer: 'none' },
  { accept: false, answer: 'none' },
  { accept: { afterMs: LATE_MS }, answer: 'none' },
  { answer: html },
  { accept: false, answer: html },
  { answer: broken },
  { accept: false, answer: broken },
  { answer: 'reset' },
  { accept: false, answer: 'reset' },
  { answer: 'reset-mid-body' },
  { answer: { status: 200, body: '' } },
  { accept: false, answer: { status: 200, body: '' } },
  { accept: false, answer: busy },
  { settleFirst: true },
];

/** Faults at random, from the seed: so many of the calls go wrong, and webhooks get lost or come several times. */
export class Chaos {
  /** Which part of the calls and webhooks is hit, from 0 to 1. */
  rate = 0;
  /** How many were hit. */
  hits = 0;
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  rule(_call: Matchable): Rule | null {
    return this.#strikes() ? (FAULTS[Math.floor(this.#random.between(0, FAULTS.length))] ?? null) : null;
  }

  webhook(): WebhookShape {
    if (!this.#strikes()) return {};
    return this.#random.unit() < 0.5 ? { mode: 'drop' } : { times: 2 + Math.floor(this.#random.unit() * 4) };
  }

  #strikes(): boolean {
    const strikes = this.rate > 0 && this.#random.unit() < this.rate;
    if (strikes) this.hits += 1;
    return strikes;
  }
}
