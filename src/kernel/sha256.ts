import { hash } from 'node:crypto';

/** By way of a string, which is faster in Node. */
export function sha256(text: string): Buffer {
  return Buffer.from(hash('sha256', text, 'binary'), 'latin1');
}
