import type { paths } from './schema.js';

type Changing = 'post' | 'put' | 'patch' | 'delete';

type TakesCode<Call> = Call extends { parameters: { header?: infer Headers } }
  ? [NonNullable<Headers>] extends [never]
    ? false
    : 'x-totp-code' extends keyof NonNullable<Headers>
      ? true
      : false
  : false;

/** Calls of the API that may ask for a code, as `POST /v1/wallets/resume`. */
type GuardedCall = {
  [Path in keyof paths]: {
    [Method in Changing]: TakesCode<paths[Path][Method]> extends true
      ? `${Uppercase<Method>} ${Path & string}`
      : never;
  }[Changing];
}[keyof paths];

/** What needs a code of its own each time. */
export const ALWAYS = {
  'POST /v1/auth/password': 'change your password',
  'POST /v1/auth/two-factor/recovery-codes': 'create new recovery codes',
  'DELETE /v1/auth/two-factor': 'remove your authenticator app',
  'DELETE /v1/auth/passkeys/{passkeyId}': 'remove this passkey',
} as const satisfies Partial<Record<GuardedCall, string>>;

/** What needs a code of the last ten minutes. A call that is missing here does not compile. */
export const ACTS: Readonly<Record<Exclude<GuardedCall, keyof typeof ALWAYS>, string>> = {
  'POST /v1/approvals/{approvalId}/approve': 'approve this payment',
  'PATCH /api/wallets/{walletId}': 'weaken a safeguard of this wallet',
  'POST /api/wallets/{walletId}/keys': 'create an API key',
  'POST /api/wallets/{walletId}/payees': 'trust this payee',
  'DELETE /api/wallets/{walletId}/payees/{payeeId}': 'remove this payee',
  'POST /api/wallets/{walletId}/withdrawals': 'withdraw money',
  'POST /api/wallets/{walletId}/transfers': 'move money',
  'POST /api/wallets/{walletId}/close': 'close this wallet',
  'POST /api/wallets/{walletId}/resume': 'let this wallet pay again',
  'POST /v1/wallets/resume': 'let these wallets pay again',
  'PATCH /v1/members/{memberId}': 'change what a member may do',
  'PUT /v1/members/two-factor': 'change whether members need two-factor',
  'POST /v1/invitations': 'invite a member',
  'POST /v1/webhook-endpoints/{endpointId}/rotate-secret': 'see a new secret of this endpoint',
  'POST /v1/auth/two-factor': 'set up an authenticator app',
  'POST /v1/auth/passkeys/registration': 'add a passkey',
  'POST /v1/operator/acts': 'act as an operator',
  'POST /v1/operator/proposals/{proposalId}/confirm': 'confirm what another operator proposed',
  'POST /v1/operator/proposals/{proposalId}/reject': 'reject this proposal',
};
