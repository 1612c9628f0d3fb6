import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Wallet } from '../api/types.js';

/** A word on a tint that says how things stand. */
export function Tag({ tone, children }: { tone: 'good' | 'bad' | 'wait' | 'calm'; children: ReactNode }) {
  return (
    <Badge className={`tag ${tone}`} tt="none" fw={600} radius="sm">
      {children}
    </Badge>
  );
}

export function DecisionTag({ decision }: { decision: string }) {
  return (
    <Tag tone={decision === 'approved' ? 'good' : 'bad'}>
      {decision === 'approved' ? 'Approved' : 'Blocked'}
    </Tag>
  );
}

/** Whether a wallet pays, in a word. */
export function WalletTag({ wallet }: { wallet: Wallet }) {
  if (wallet.status !== 'ACTIVE') return <Tag tone="bad">{wallet.status.toLowerCase()}</Tag>;
  if (new Date(wallet.expiry) <= new Date()) return <Tag tone="calm">Expired</Tag>;
  return <Tag tone="good">Active</Tag>;
}
