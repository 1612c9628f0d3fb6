import { PAYEES_MAX, WHOLE_WALLET } from '../../../wallet/payees/payees.port.js';
import type { LockedWallet } from '../../../wallet/wallet.port.js';
import type { WalletControls } from '../../../wallet/wallet.events.js';
import type { BlockReason } from '../../../../kernel/errors.js';
import type { BankAccount } from '../../../bank/name-enquiry.port.js';
import type { Facts, Intent, PayeeFacts } from '../../checks/facts.port.js';
import { recipientOf } from '../../payments.port.js';
import type { Rule } from '../rule.domain.js';

/** Payees of a limited key and its predecessors. */
export const PAYEES_OF_KEY_MAX = 100;
const ACCOUNTS_SHOWN_MAX = 5;

export interface PayeeQuery extends BankAccount {
  readonly walletId: string;
  readonly keyId: string;
  /** A limited key's history, else {@link WHOLE_WALLET}. */
  readonly historyId: string;
  /** Normalised name. */
  readonly merchant: string;
}

export interface MerchantAccount extends BankAccount {
  /** False: the account first paid. */
  readonly isRegistered: boolean;
  readonly isPaid: boolean;
  /** {@link WHOLE_WALLET}, or one history. */
  readonly historyId: string;
}

/** A merchant's payees as a history's keys see them. */
export interface MerchantPayees {
  readonly walletId: string;
  readonly historyId: string;
  readonly merchant: string;
  readonly accounts: readonly MerchantAccount[];
  /** Payees of the wallet or history; read only if this merchant has none. */
  readonly payeeCount: number | null;
}

const MESSAGES: Record<PayeeFacts['standing'], string> = {
  payee: 'is a payee of this wallet',
  first: 'is paid for the first time',
  other: 'is bound to another account',
  unregistered: 'is not registered with this account',
  full: `can't be remembered: of ${PAYEES_MAX} payees of a wallet, or ${PAYEES_OF_KEY_MAX} of a key with limits, there are as many as there can be`,
};

const isKnown = ({ standing }: PayeeFacts): boolean => standing === 'payee' || standing === 'first';

export function accountText({ bankCode, accountNumber }: BankAccount): string {
  return `${bankCode}/${accountNumber}`;
}

/** A new payee is bound to the account. */
export type PayeeFirstPaid = 'known-payee' | 'new-payee';

export const PAYEE_RULES: readonly Rule[] = [
  {
    blockedAs: 'PAYEE_NOT_ALLOWED',
    title: 'Payee allowed',
    blockTitle: 'Payee not allowed',
    applies: ({ payee }) => payee !== undefined,
    passes: ({ payee }) => !payee || payee.policy === 'warn' || isKnown(payee),
    warns: ({ payee }) => payee?.policy === 'warn' && !isKnown(payee),
    compared: ({ payee }, intent) => ({
      ...(payee && { payeePolicy: payee.policy }),
      ...(payee && payee.accounts.length > 0 && { limit: payee.accounts.join(', ') }),
      actual: accountText(recipientOf(intent)),
    }),
    message: ({ payee }, intent) => {
      if (!payee) return '';
      const allowed = payee.accounts.length > 0 ? ` It may be paid at ${payee.accounts.join(', ')}.` : '';
      return `The merchant ${intent.merchantName} ${MESSAGES[payee.standing]} (${accountText(recipientOf(intent))}).${allowed}`;
    },
  },
  {
    blockedAs: 'PAYEE_NOT_ALLOWED',
    variant: 'recipient',
    title: 'Recipient’s account exists',
    blockTitle: 'Payee not allowed',
    applies: ({ recipient }) => recipient !== undefined,
    factsOf: ({ verifyRecipient }, { recipient }) =>
      verifyRecipient ? { recipient: recipient ?? 'unasked' } : {},
    passes: ({ recipient }) => recipient === 'known',
    compared: (_, intent) => ({ actual: accountText(recipientOf(intent)) }),
    message: (_, intent) =>
      `The bank of the recipient knows no such account (${accountText(recipientOf(intent))}).`,
  },
];

export function payeeQuery(
  intent: Intent,
  walletId: string,
  keyId: string,
  historyId: string | null,
): PayeeQuery {
  const { merchant } = intent;
  return { walletId, keyId, historyId: historyId ?? WHOLE_WALLET, merchant, ...recipientOf(intent) };
}

/** True if only the bank's word on the recipient is missing. */
export function lacksRecipient(facts: Facts, intent: Intent, blockReason: BlockReason | null): boolean {
  return (
    facts.recipient === 'unasked' &&
    blockReason === 'PAYEE_NOT_ALLOWED' &&
    PAYEE_RULES.every(
      (rule) => rule.passes(facts, intent) || rule.passes({ ...facts, recipient: 'known' }, intent),
    )
  );
}

/** True if decisions on this wallet read payees or ages. */
export function readsPayees({ controls }: Pick<LockedWallet, 'controls'>): boolean {
  return controls !== undefined && (bindsPayees(controls) || controls.coolingOff !== undefined);
}

function bindsPayees({ payeePolicy }: WalletControls): boolean {
  return payeePolicy !== undefined && payeePolicy !== 'off';
}

/** Includes those just approved. */
export class PayeeState {
  /** By merchant. */
  private readonly accounts = new Map<string, MerchantAccount[]>();
  /** By history. */
  private readonly counts = new Map<string, number>();

  /** Later readings override earlier ones. */
  constructor(readings: readonly MerchantPayees[]) {
    for (const { historyId, merchant, accounts, payeeCount } of readings) {
      const known = this.accounts.get(merchant) ?? [];
      // Shared payees are read with each history.
      const more = accounts.filter((account) => !known.some((each) => isSame(each, account)));
      this.accounts.set(merchant, [...known, ...more]);
      if (payeeCount !== null) this.counts.set(historyId, payeeCount);
    }
  }

  /** Undefined without a policy. */
  factsOf({ controls }: LockedWallet, intent: Intent, historyId = WHOLE_WALLET): PayeeFacts | undefined {
    const policy = controls?.payeePolicy;
    if (policy === undefined || policy === 'off') return undefined;
    const counting = this.of(intent, historyId).filter(
      ({ isRegistered }) => policy !== 'strict' || isRegistered,
    );
    const accounts = counting.slice(0, ACCOUNTS_SHOWN_MAX).map(accountText);
    return { policy, standing: this.standingOf(policy, counting, intent, historyId), accounts };
  }

  private standingOf(
    policy: PayeeFacts['policy'],
    counting: readonly MerchantAccount[],
    intent: Intent,
    historyId: string,
  ): PayeeFacts['standing'] {
    if (counting.some(isAccountOf(intent))) return 'payee';
    if (policy === 'strict') return 'unregistered';
    if (counting.length > 0) return 'other';
    const max = historyId === WHOLE_WALLET ? PAYEES_MAX : PAYEES_OF_KEY_MAX;
    return (this.counts.get(historyId) ?? 0) < max ? 'first' : 'full';
  }

  approve(intent: Intent, { payee }: Facts, historyId = WHOLE_WALLET): PayeeFirstPaid | undefined {
    if (!payee || !isKnown(payee)) return undefined;
    const { merchant } = intent;
    const known = this.of(intent, historyId).find(isAccountOf(intent));
    if (known?.isPaid) return undefined;
    const paid = { historyId, isRegistered: false, ...known, ...recipientOf(intent), isPaid: true };
    const others = this.accounts.get(merchant) ?? [];
    this.accounts.set(merchant, [...others.filter((each) => each !== known), paid]);
    if (known) return 'known-payee';
    this.counts.set(historyId, (this.counts.get(historyId) ?? 0) + 1);
    return 'new-payee';
  }

  /** Shared payees and those of the key's history. */
  private of({ merchant }: Intent, historyId: string): readonly MerchantAccount[] {
    const accounts = this.accounts.get(merchant);
    if (!accounts) throw new Error(`payees of ${merchant} were not loaded`);
    return accounts.filter((each) => each.historyId === WHOLE_WALLET || each.historyId === historyId);
  }
}

const isSame = (one: MerchantAccount, other: MerchantAccount): boolean =>
  one.accountNumber === other.accountNumber &&
  one.bankCode === other.bankCode &&
  one.historyId === other.historyId;

function isAccountOf(intent: Intent): (account: BankAccount) => boolean {
  const { accountNumber, bankCode } = recipientOf(intent);
  return (account) => account.accountNumber === accountNumber && account.bankCode === bankCode;
}
