import type { ReactNode } from 'react';
import type { Wallet } from '../../api/types.js';
import { PAYMENT_STATUSES, type PaymentStatus } from '../../payments/status.js';
import type { Tone } from '../../look/tone.js';
import { walletStatus } from '../../wallet/wallet-status.js';

export function Tag({ tone, children }: { tone: Tone; children: ReactNode }) {
  return <span className={`tag ${tone}`}>{children}</span>;
}

export function PaymentTag({ payment }: { payment: { readonly status: PaymentStatus } }) {
  const { name, tone } = PAYMENT_STATUSES[payment.status];
  return <Tag tone={tone}>{name}</Tag>;
}

export function WalletTag({ wallet }: { wallet: Wallet }) {
  const { name, tone } = walletStatus(wallet);
  return <Tag tone={tone}>{name}</Tag>;
}
