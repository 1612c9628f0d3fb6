import { AppError } from '../../../kernel/errors.js';
import { sha256 } from '../../../kernel/sha256.js';
import type { SpendAccess } from '../../wallet/wallet.port.js';
import { detailsOf, type PaymentDetails } from '../payments.events.js';
import type { Transaction } from '../payments.port.js';
import { reusedKeyMessage } from './advice.domain.js';

export type LockedAccess = Extract<SpendAccess, { kind: 'locked' }>;

type IdempotentUse = Transaction & {
  readonly idempotencyKey: string | null;
  readonly fingerprint: Buffer | null;
};

/** Each idempotency key has one payment in a scope. */
export class IdempotentUses {
  private readonly uses = new Map<string, IdempotentUse[]>();

  constructor(recorded: readonly IdempotentUse[]) {
    for (const use of recorded) this.add(use);
  }

  add(use: IdempotentUse): void {
    if (use.idempotencyKey === null) return;
    const uses = this.uses.get(use.idempotencyKey);
    if (uses) uses.push(use);
    else this.uses.set(use.idempotencyKey, [use]);
  }

  /**
   * The answer to a key used before; undefined on first use. A key that replaced others may find several
   * uses.
   */
  repeated(access: LockedAccess, idempotencyKey: string, fingerprint: Buffer) {
    const uses = this.uses.get(idempotencyKey)?.filter((use) => knows(access, use));
    const first = uses?.[0];
    if (!uses || !first) return undefined;
    const transaction = uses.find((use) => use.fingerprint?.equals(fingerprint));
    if (transaction) return { done: { transaction, replayed: true } };
    return {
      refused: new AppError('IDEMPOTENCY_KEY_REUSED', reusedKeyMessage(first), { transactionId: first.id }),
    };
  }
}

function knows({ wallet, key }: LockedAccess, { keyId, historyId }: Transaction): boolean {
  if (keyId === key.id) return true;
  const scope = historyId ?? wallet.id;
  return key.lineage ? key.lineage.includes(scope) : scope === (key.limited?.historyId ?? wallet.id);
}

/**
 * Hash of the validated fields. Younger fields count only where given: a retry across an upgrade finds its
 * first answer.
 */
export function fingerprintOf(request: Fingerprinted): Buffer {
  const details = detailsOf(request);
  const {
    amount,
    merchantName,
    recipientAccountNo,
    recipientBankCode,
    reason,
    merchant: _,
    ...younger
  } = details;
  const fields: unknown[] = [amount, merchantName, recipientAccountNo, recipientBankCode, reason];
  for (const [name, value] of Object.entries(younger))
    if (value != null) fields.push({ [name]: value as unknown });
  if (request.confirmSecondPurchase != null) fields.push(request.confirmSecondPurchase);
  return sha256(JSON.stringify(fields));
}

type Fingerprinted = PaymentDetails & { readonly confirmSecondPurchase?: string | null };
