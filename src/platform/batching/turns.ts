import { setImmediate, setTimeout } from 'node:timers';
import { withoutRequestId } from '../observability/request-id.js';

const SHARE = 5;
/** Shorter rests add up first: no timer is finer. */
const REST_MS_MIN = 1;
const REST_MS_MAX = 50;

const waiting: (() => void)[] = [];
let isScheduled = false;
let beganAt = 0;
/** Earliest time of the next piece. */
let restsUntil = 0;
let doPaymentsWait = (): boolean => false;

/** Makes background work yield while `isSo`. */
export function yieldWhile(isSo: () => boolean): void {
  doPaymentsWait = isSo;
}

/**
 * FIFO, one piece per turn of the event loop, with rests while payments wait: a payment waits for one piece
 * at most. Split long work with {@link turn}.
 */
export function inTurn(piece: () => void): void {
  waiting.push(piece);
  if (!isScheduled) schedule();
}

/** Resolves when the caller's next piece may run; see {@link inTurn}. */
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

/** Runs the second after the piece's promises. */
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
