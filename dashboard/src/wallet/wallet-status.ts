import type { Wallet } from '../api/types.js';
import type { Tone } from '../look/tone.js';

/** What a wallet that takes no payments is called, by its status. */
export const STOPPED: Readonly<Record<string, { name: string; tone: Tone }>> = {
  SUSPENDED: { name: 'Frozen', tone: 'wait' },
  CLOSED: { name: 'Closed', tone: 'calm' },
};

export function isActive({ status, expiry }: Pick<Wallet, 'status' | 'expiry'>, now = new Date()): boolean {
  return status === 'ACTIVE' && new Date(expiry) > now;
}

export function walletStatus(
  wallet: Pick<Wallet, 'status' | 'expiry'>,
  now = new Date(),
): { name: string; tone: Tone } {
  if (isActive(wallet, now)) return { name: 'Active', tone: 'good' };
  if (wallet.status === 'ACTIVE') return { name: 'Expired', tone: 'calm' };
  return STOPPED[wallet.status] ?? { name: 'Inactive', tone: 'calm' };
}
