import type { Wallet } from './api/types.js';
import type { Tone } from './tone.js';

/** What a wallet that takes no payments is called, by its status. */
export const STOPPED: Readonly<Record<string, { name: string; tone: Tone }>> = {
  SUSPENDED: { name: 'Frozen', tone: 'wait' },
  CLOSED: { name: 'Closed', tone: 'calm' },
};

/** Whether a wallet pays, in a word. */
export function walletStatus(
  { status, expiry }: Pick<Wallet, 'status' | 'expiry'>,
  now = new Date(),
): { name: string; tone: Tone } {
  if (status !== 'ACTIVE') return STOPPED[status] ?? { name: 'Inactive', tone: 'calm' };
  return new Date(expiry) <= now ? { name: 'Expired', tone: 'calm' } : { name: 'Active', tone: 'good' };
}
