import { setImmediate, setTimeout } from 'node:timers';
import { withoutRequestId } from '../observability/request-id.js';

/** While payments wait, what is no payment takes one part in so many of the time. */
const SHARE = 5;
/** Shorter rests add up first: no timer is finer. */
const REST_MS_MIN = 1;
const REST_MS_MAX = 50;

const waiting: (() => void)[] = [];
let isScheduled = false;
let beganAt = 0;
/** When the pieces that ran have had their share of the time, and the payments theirs. */
let restsUntil = 0;
let doPaymentsWait = (): boolean => false;

/** Has all that runs in turns give way while `isSo`: payments wait for their decision. */
export function yieldWhile(isSo: () => boolean): void {
  doPaymentsWait = isSo;
}

/**
 * Runs work that is no payment: one piece in a turn of the event loop, in the order in which they were given, and with
 * rests in between while payments wait. So a payment waits for one piece at most, however many there are. Work that
 * takes long comes in pieces: see {@link turn}.
 */
export function inTurn(piece: () => void): void {
  waiting.push(piece);
  if (!isScheduled) schedule();
}

/** Ends when the next piece of what the caller does may run; see {@link inTurn}. */
export function turn(): Promise<void> {
  return new Promise((resolve) => inTurn(resolve));
}

function schedule(): void {
  isScheduled = true;
  const restMs = Math.min(restsUntil - performance.now(), REST_MS_MAX);
  withoutRequestId(() => {
    if (restMs >= REST_MS_MIN && doPaymentsWait()) setTimeout(begin, restMs);
    else begin();
  });
}

/** The second runs behind all that the piece did at once, its promises included. */
function begin(): void {
  setImmediate(run);
  setImmediate(end);
}

function run(): void {
  beganAt = performance.now();
  waiting.shift()?.();
}

function end(): void {
  restsUntil = Math.max(restsUntil, beganAt) + SHARE * (performance.now() - beganAt);
  if (waiting.length > 0) schedule();
  else isScheduled = false;
}
