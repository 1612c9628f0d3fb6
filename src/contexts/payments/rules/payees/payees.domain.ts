import {
  type MerchantAccount,
  type PayeeQuery,
  type PayeeReadings,
  PAYEES_MAX,
  PAYEES_OF_KEY_MAX,
  WHOLE_WALLET,
} from '../../../wallet/payees/payees.port.js';
import type { LockedWallet, WalletControls } from '../../../wallet/wallet.port.js';
import type { BlockReason } from '../../payments.events.js';
import type { Facts, Intent, PayeeFacts } from '../../checks/facts.port.js';
import type { Rule } from '../rule.domain.js';

const ACCOUNTS_SHOWN_MAX = 5;
const MESSAGES: Record<PayeeFacts['standing'], string> = {
  payee: 'is a payee of this wallet',
  first: 'is paid for the first time',
  other: 'is bound to another account',
  unregistered: 'is not registered with this account',
  full: `can't be remembered: of ${PAYEES_MAX} payees of a wallet, or ${PAYEES_OF_KEY_MAX} of a key with limits, there are as many as there can be`,
};

const isKnown = ({ standing }: PayeeFacts): boolean => standing === 'payee' || standing === 'first';
const accountOf = ({ recipientAccountNo, recipientBankCode }: Intent): string =>
  `${recipientBankCode}/${recipientAccountNo}`;

/** Binds merchants to accounts, and verifies recipients. */
export const PAYEE_RULES: readonly Rule[] = [
  {
    blockedAs: 'PAYEE_NOT_ALLOWED',
    applies: ({ payee }) => payee !== undefined,
    passes: ({ payee }) => !payee || payee.policy === 'warn' || isKnown(payee),
    warns: ({ payee }) => payee?.policy === 'warn' && !isKnown(payee),
    compared: ({ payee }, intent) => ({
      ...(payee && { payeePolicy: payee.policy }),
      ...(payee && payee.accounts.length > 0 && { limit: payee.accounts.join(', ') }),
      actual: accountOf(intent),
    }),
    message: ({ payee }, intent) => {
      if (!payee) return '';
      const allowed = payee.accounts.length > 0 ? ` It may be paid at ${payee.accounts.join(', ')}.` : '';
      return `The merchant ${intent.merchantName} ${MESSAGES[payee.standing]} (${accountOf(intent)}).${allowed}`;
    },
  },
  {
    blockedAs: 'PAYEE_NOT_ALLOWED',
    applies: ({ recipient }) => recipient !== undefined,
    passes: ({ recipient }) => recipient === 'known',
    compared: (_, intent) => ({ actual: accountOf(intent) }),
    message: (_, intent) => `The bank of the recipient knows no such account (${accountOf(intent)}).`,
  },
];

export function payeeQuery(
  intent: Intent,
  walletId: string,
  keyId: string,
  historyId: string | null,
): PayeeQuery {
  const { merchant, recipientAccountNo, recipientBankCode } = intent;
  return {
    walletId,
    keyId,
    historyId: historyId ?? WHOLE_WALLET,
    merchant,
    recipientAccountNo,
    recipientBankCode,
  };
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

/** Payees of a transaction's wallets, including those just approved. */
export class PayeeBook {
  private readonly accounts = new Map<string, MerchantAccount[]>();
  private readonly counts = new Map<string, number>();

  /** Later reads override earlier ones. */
  constructor(readings: readonly PayeeReadings[]) {
    for (const { walletId, historyId, merchant, accounts, payeeCount } of readings.flatMap(
      ({ merchants }) => merchants,
    )) {
      const name = `${walletId} ${merchant}`;
      const known = this.accounts.get(name) ?? [];
      // Shared payees are read with each history.
      const more = accounts.filter((account) => !known.some((each) => isSame(each, account)));
      this.accounts.set(name, [...known, ...more]);
      if (payeeCount !== null) this.counts.set(`${walletId} ${historyId}`, payeeCount);
    }
  }

  /** Undefined without a policy. */
  factsOf(wallet: LockedWallet, intent: Intent, historyId = WHOLE_WALLET): PayeeFacts | undefined {
    const policy = wallet.controls?.payeePolicy;
    if (policy === undefined || policy === 'off') return undefined;
    const counting = this.of(wallet, intent, historyId).filter(
      ({ isRegistered }) => policy !== 'strict' || isRegistered,
    );
    const accounts = counting
      .slice(0, ACCOUNTS_SHOWN_MAX)
      .map(({ bankCode, accountNumber }) => `${bankCode}/${accountNumber}`);
    return { policy, standing: this.standingOf(wallet, policy, counting, intent, historyId), accounts };
  }

  private standingOf(
    { id }: LockedWallet,
    policy: PayeeFacts['policy'],
    counting: readonly MerchantAccount[],
    intent: Intent,
    historyId: string,
  ): PayeeFacts['standing'] {
    if (counting.some(isAccountOf(intent))) return 'payee';
    if (policy === 'strict') return 'unregistered';
    if (counting.length > 0) return 'other';
    const max = historyId === WHOLE_WALLET ? PAYEES_MAX : PAYEES_OF_KEY_MAX;
    return (this.counts.get(`${id} ${historyId}`) ?? 0) < max ? 'first' : 'full';
  }

  /** Applies an approval. Says whether it is the first to a payee, and to a new one. */
  take(
    wallet: LockedWallet,
    intent: Intent,
    { payee }: Facts,
    historyId = WHOLE_WALLET,
  ): 'first-to-payee' | 'new-payee' | null {
    if (!payee || !isKnown(payee)) return null;
    const name = `${wallet.id} ${intent.merchant}`;
    const known = this.of(wallet, intent, historyId).find(isAccountOf(intent));
    if (known?.isPaid) return null;
    const { recipientAccountNo: accountNumber, recipientBankCode: bankCode } = intent;
    const paid = { historyId, isRegistered: false, ...known, accountNumber, bankCode, isPaid: true };
    const others = this.accounts.get(name) ?? [];
    this.accounts.set(name, [...others.filter((each) => each !== known), paid]);
    if (known) return 'first-to-payee';
    const counted = `${wallet.id} ${historyId}`;
    this.counts.set(counted, (this.counts.get(counted) ?? 0) + 1);
    return 'new-payee';
  }

  /** Shared payees and those of the key's history. */
  private of({ id }: LockedWallet, { merchant }: Intent, historyId: string): readonly MerchantAccount[] {
    const accounts = this.accounts.get(`${id} ${merchant}`);
    if (!accounts) throw new Error(`the payees of wallet ${id} were not read`);
    return accounts.filter((each) => each.historyId === WHOLE_WALLET || each.historyId === historyId);
  }
}

const isSame = (one: MerchantAccount, other: MerchantAccount): boolean =>
  one.accountNumber === other.accountNumber &&
  one.bankCode === other.bankCode &&
  one.historyId === other.historyId;

const isAccountOf =
  ({ recipientAccountNo, recipientBankCode }: Intent) =>
  ({ accountNumber, bankCode }: MerchantAccount): boolean =>
    accountNumber === recipientAccountNo && bankCode === recipientBankCode;
