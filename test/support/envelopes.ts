import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import {
  chargeBody,
  type CreatedWallet,
  PASSWORD,
  paymentBody,
  type RequestOptions,
  walletBody,
} from './service.js';

/** Any text. */
export const text: unknown = expect.any(String);
/** The three envelopes: what a body looks like for a code, with the fields at fault when it is about fields. */
export const ENVELOPES = {
  status: (code: string, status: number, field = 'body') =>
    status === 400
      ? { status: 'error', errors: [{ code, path: field, message: text }] }
      : { status: 'error', code, message: text },
  success: (code: string, status: number, field = 'body') => ({
    success: false,
    message: text,
    code,
    ...(status === 400 && { errors: [{ field, message: text }] }),
  }),
  error: (code: string, status: number, field = 'body') => ({
    error: { code, message: text, ...(status === 400 && { errors: [{ field, message: text }] }) },
  }),
} as const;
export type Envelope = keyof typeof ENVELOPES;

/** Every route that takes a body, with its envelope, who may call it, and a body that is sound. */
export const POSTS: readonly (readonly [
  string,
  Envelope,
  (wallet: CreatedWallet) => RequestOptions,
  (wallet: CreatedWallet) => Record<string, unknown>,
])[] = [
  [
    '/v1/auth/signup',
    'status',
    () => ({}),
    () => ({ email: `${randomUUID()}@example.com`, password: PASSWORD, accountType: 'developer' }),
  ],
  ['/v1/auth/login', 'status', () => ({}), (wallet) => ({ email: wallet.owner.email, password: PASSWORD })],
  [
    '/v1/onboarding',
    'status',
    (wallet) => ({ token: wallet.owner.token }),
    () => ({ businessName: 'Obi', contactEmail: 'a@example.com' }),
  ],
  [
    '/api/onboarding',
    'status',
    (wallet) => ({ token: wallet.owner.token }),
    () => ({ businessName: 'Obi', contactEmail: 'a@example.com' }),
  ],
  ['/api/payment-intent', 'success', (wallet) => ({ key: wallet.key }), () => paymentBody({ amount: 1 })],
  [
    '/api/wallets',
    'error',
    (wallet) => ({ token: wallet.owner.token }),
    (wallet) => walletBody(wallet.owner.id),
  ],
  ['/api/webhooks', 'error', () => ({}), (wallet) => chargeBody(wallet.id)],
];
export const GETS: readonly string[] = [
  '/api/wallets/ID',
  '/api/wallets/user/USER',
  '/api/wallets/ID/transactions',
  '/api/wallets/ID/ledgers',
  '/api/ledger',
  '/v1/wallets/ID/stats',
  '/v1/wallets/ID/transactions',
];
