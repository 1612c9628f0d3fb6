import { type MerchantAccount, type PayeeReadings, PAYEES_MAX } from '../wallet/payees/payees.port.js';
import type { LockedWallet, WalletControls } from '../wallet/wallet.port.js';
import type { BlockReason } from './payments.events.js';
import type { Facts, Intent, PayeeFacts, Rule } from './facts.domain.js';

const ACCOUNTS_SHOWN_MAX = 5;
const MESSAGES: Record<PayeeFacts['standing'], string> = {
  payee: 'is a payee of this wallet',
  first: 'is paid for the first time',
  other: 'is bound to another account',
  unregistered: 'is not registered with this account',
  full: `can't be remembered: this wallet has ${PAYEES_MAX} payees, as many as there can be`,
};

const isKnown = ({ standing }: PayeeFacts): boolean => standing === 'payee' || standing === 'first';
const accountOf = ({ recipientAccountNo, recipientBankCode }: Intent): string =>
  `${recipientBankCode}/${recipientAccountNo}`;

/** Which accounts a merchant may be paid at, and whether the bank of the recipient must know the account. */
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

/** Whether nothing but the bank's word on the recipient is missing, on these facts, to let the intent go on. */
export function lacksRecipient(facts: Facts, intent: Intent, blockReason: BlockReason | null): boolean {
  return (
    facts.recipient === 'unasked' &&
    blockReason === 'PAYEE_NOT_ALLOWED' &&
    PAYEE_RULES.every(
      (rule) => rule.passes(facts, intent) || rule.passes({ ...facts, recipient: 'known' }, intent),
    )
  );
}

/** Whether decisions on this wallet look at whom it has paid, and at how old its keys are. */
export function readsPayees({ controls }: Pick<LockedWallet, 'controls'>): boolean {
  return controls !== undefined && (bindsPayees(controls) || controls.coolingOff !== undefined);
}

function bindsPayees({ payeePolicy }: WalletControls): boolean {
  return payeePolicy !== undefined && payeePolicy !== 'off';
}

/** The payees of a transaction's wallets; moved by what is approved, so that the next intent sees it. */
export class PayeeBook {
  private readonly accounts = new Map<string, MerchantAccount[]>();
  private readonly counts = new Map<string, number>();

  /** Of what was read twice, the later word counts. */
  constructor(readings: readonly PayeeReadings[]) {
    for (const { walletId, merchant, accounts, payeeCount } of readings.flatMap(
      ({ merchants }) => merchants,
    )) {
      this.accounts.set(`${walletId} ${merchant}`, [...accounts]);
      if (payeeCount !== null) this.counts.set(walletId, payeeCount);
    }
  }

  /** What the policy of the wallet looks at; undefined where it has none. */
  factsOf(wallet: LockedWallet, intent: Intent): PayeeFacts | undefined {
    const policy = wallet.controls?.payeePolicy;
    if (policy === undefined || policy === 'off') return undefined;
    const counting = this.of(wallet, intent).filter(
      ({ isRegistered }) => policy !== 'strict' || isRegistered,
    );
    const accounts = counting
      .slice(0, ACCOUNTS_SHOWN_MAX)
      .map(({ bankCode, accountNumber }) => `${bankCode}/${accountNumber}`);
    return { policy, standing: this.standingOf(wallet, policy, counting, intent), accounts };
  }

  private standingOf(
    { id }: LockedWallet,
    policy: PayeeFacts['policy'],
    counting: readonly MerchantAccount[],
    intent: Intent,
  ): PayeeFacts['standing'] {
    if (counting.some(isAccountOf(intent))) return 'payee';
    if (policy === 'strict') return 'unregistered';
    if (counting.length > 0) return 'other';
    return (this.counts.get(id) ?? 0) < PAYEES_MAX ? 'first' : 'full';
  }

  /** Notes that the intent was approved on these facts. Answers whether it is the first to a payee, and to a new one. */
  take(wallet: LockedWallet, intent: Intent, { payee }: Facts): 'first-to-payee' | 'new-payee' | null {
    if (!payee || !isKnown(payee)) return null;
    const accounts = this.of(wallet, intent);
    const known = accounts.find(isAccountOf(intent));
    if (known?.isPaid) return null;
    const { recipientAccountNo: accountNumber, recipientBankCode: bankCode } = intent;
    const paid = { accountNumber, bankCode, isRegistered: known?.isRegistered ?? false, isPaid: true };
    this.accounts.set(`${wallet.id} ${intent.merchant}`, [
      ...accounts.filter((each) => each !== known),
      paid,
    ]);
    if (known) return 'first-to-payee';
    this.counts.set(wallet.id, (this.counts.get(wallet.id) ?? 0) + 1);
    return 'new-payee';
  }

  private of({ id }: LockedWallet, { merchant }: Intent): readonly MerchantAccount[] {
    const accounts = this.accounts.get(`${id} ${merchant}`);
    if (!accounts) throw new Error(`the payees of wallet ${id} were not read`);
    return accounts;
  }
}

const isAccountOf =
  ({ recipientAccountNo, recipientBankCode }: Intent) =>
  ({ accountNumber, bankCode }: MerchantAccount): boolean =>
    accountNumber === recipientAccountNo && bankCode === recipientBankCode;
