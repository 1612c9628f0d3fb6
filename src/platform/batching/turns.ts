import { withoutRequestId } from '../observability/request-id.js';

const waiting: (() => void)[] = [];
let isTaken = false;

/**
 * Runs work that is no payment: one piece in a turn of the event loop, in the order in which they were given, and at
 * once while no other has run in this turn. A payment that arrives waits for one piece, however many there are. Work
 * that takes long comes in pieces: see {@link turn}.
 */
export function inTurn(piece: () => void): void {
  if (isTaken) {
    waiting.push(piece);
    return;
  }
  isTaken = true;
  withoutRequestId(() => setImmediate(next));
  piece();
}

/** Ends when the next piece of what the caller does may run; see {@link inTurn}. */
export function turn(): Promise<void> {
  return new Promise((resolve) => inTurn(resolve));
}

function next(): void {
  isTaken = false;
  const piece = waiting.shift();
  if (piece) inTurn(piece);
}
