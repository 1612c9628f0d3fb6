import { AppError } from '../../../kernel/errors.js';
import { sha256 } from '../../../kernel/sha256.js';
import type { SpendAccess } from '../../wallet/wallet.port.js';
import type { Intent } from '../checks/facts.port.js';
import type { Transaction } from '../payments.port.js';
import { reusedKeyMessage } from './advice.domain.js';

export type LockedAccess = Extract<SpendAccess, { kind: 'locked' }>;

type IdempotentUse = Transaction & {
  readonly idempotencyKey: string | null;
  readonly fingerprint: Buffer | null;
};

/** Payments by idempotency key; each key has one in a scope. */
export class IdempotentUses {
  private readonly uses = new Map<string, IdempotentUse[]>();

  add(use: IdempotentUse): void {
    const name = `${use.walletId} ${use.idempotencyKey}`;
    const uses = this.uses.get(name);
    if (uses) uses.push(use);
    else this.uses.set(name, [use]);
  }

  /**
   * The answer to a key used before; undefined on first use. A key that replaced others may find several
   * uses.
   */
  repeated(access: LockedAccess, idempotencyKey: string | null, fingerprint: Buffer) {
    const uses = this.uses.get(`${access.wallet.id} ${idempotencyKey}`)?.filter((use) => knows(access, use));
    const first = uses?.[0];
    if (!uses || !first) return undefined;
    const transaction = uses.find((use) => use.fingerprint?.equals(fingerprint));
    if (transaction) return { done: { transaction, replayed: true } };
    return {
      refused: new AppError('IDEMPOTENCY_KEY_REUSED', reusedKeyMessage(first), { transactionId: first.id }),
    };
  }
}

/** Checks that the use belongs to a scope the request's key knows. */
function knows({ wallet, key }: LockedAccess, { keyId, historyId }: Transaction): boolean {
  if (keyId === key.id) return true;
  const scope = historyId ?? wallet.id;
  return key.lineage ? key.lineage.includes(scope) : scope === (key.limited?.historyId ?? wallet.id);
}

/** Hash of the validated fields: equal for bodies that mean the same payment. */
export function fingerprintOf(request: Intent & { readonly confirmSecondPurchase?: string | null }): Buffer {
  const { amount, merchantName, recipientAccountNo, recipientBankCode, reason, confirmSecondPurchase } =
    request;
  const fields = [amount, merchantName, recipientAccountNo, recipientBankCode, reason];
  if (confirmSecondPurchase != null) fields.push(confirmSecondPurchase);
  return sha256(JSON.stringify(fields));
}
