import { hash } from 'node:crypto';

export function sha256(text: string): Buffer {
  return Buffer.from(hash('sha256', text, 'binary'), 'latin1');
}
