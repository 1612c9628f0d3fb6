import { nubanCheckDigit } from '../../src/contexts/bank/nuban.ts';
import type { Clock } from './clock.ts';
import { rawNumber, toKobo, toNumber, type Json } from './json.ts';
import type { Delivery, Outbox, WebhookShape } from './outbox.ts';
import type { Random } from './random.ts';

export interface Account {
  readonly reference: string;
  readonly number: string;
  readonly name: string;
  readonly bankCode: string;
  readonly bankName: string;
  readonly id: string;
  readonly createdAt: string;
  readonly customer: Json;
}

export interface Payout {
  readonly reference: string;
  readonly amount: bigint;
  readonly fee: bigint;
  readonly bankCode: string;
  readonly accountNumber: string;
  readonly narration: string;
  readonly customer: Json;
  readonly notificationUrl: string | undefined;
  status: 'processing' | 'success' | 'failed' | 'reversed';
  message: string;
}

export interface Collection {
  readonly reference: string;
  readonly accountReference: string;
  readonly accountNumber: string;
  readonly amount: bigint;
  readonly fee: bigint;
  readonly currency: string;
  readonly narration: string;
  readonly at: string;
  readonly payer: Json;
}

/** Money that reaches an account, and the webhook that tells of it. `amount` is decimal text and sent as it stands. */
export interface CollectionInput extends WebhookShape {
  readonly amount: string;
  /** An issued account by its reference or number; a reference that was never issued is told of all the same. */
  readonly accountReference?: string;
  readonly accountNumber?: string;
  readonly reference?: string;
  readonly currency?: string;
  readonly narration?: string;
  readonly payer?: Json;
  /** Sends the amount as a JSON string. */
  readonly amountAsText?: boolean;
  /** Members of `data` to add or replace before signing, and to leave out. */
  readonly data?: Json;
  readonly omit?: readonly string[];
}

export interface BankOptions {
  readonly webhookUrl: string | undefined;
  readonly payoutWebhookUrl: string | undefined;
  readonly balance: bigint;
  readonly payoutFee: bigint;
  readonly accountsMax: number;
  /** Virtual ms in which a payout becomes final. */
  readonly settleMs: readonly [number, number];
}

const REVERSAL_MS = 60 * 60_000;

/** The books of the fake bank: accounts, money in, money out, and one balance that all of it moves. */
export class FakeBooks {
  readonly accounts = new Map<string, Account>();
  readonly accountsByNumber = new Map<string, Account>();
  readonly collections = new Map<string, Collection>();
  readonly payouts = new Map<string, Payout>();
  balance: bigint;
  readonly options: BankOptions;
  readonly clock: Clock;
  readonly random: Random;
  readonly outbox: Outbox;

  constructor(options: BankOptions, clock: Clock, random: Random, outbox: Outbox) {
    this.options = options;
    this.balance = options.balance;
    this.clock = clock;
    this.random = random;
    this.outbox = outbox;
  }

  open(reference: string, name: string, bankCode: string, customer: Json): Account {
    const bankName = bankCode === '000' ? 'Test Bank' : `Bank ${bankCode}`;
    const account: Account = {
      reference,
      number: this.#freeNumber(bankCode),
      name,
      bankCode,
      bankName,
      id: `KPY-VA-${this.random.digits(12)}`,
      createdAt: this.clock.iso(),
      customer,
    };
    this.accounts.set(reference, account);
    this.accountsByNumber.set(account.number, account);
    return account;
  }

  collect(input: CollectionInput): { reference: string; delivery: Delivery } {
    const account = input.accountNumber
      ? this.accountsByNumber.get(input.accountNumber)
      : this.accounts.get(input.accountReference ?? '');
    const accountReference = account?.reference ?? input.accountReference ?? 'never-issued';
    const reference = input.reference ?? `KPY-PAY-${this.random.digits(14)}`;
    const amount = toKobo(input.amount);
    const currency = input.currency ?? 'NGN';
    const payer = input.payer ?? {
      account_name: 'Jane Obi',
      account_number: '0000000000',
      bank_name: 'Test Bank',
    };
    const fee = amount === null ? 0n : min((amount * 15n) / 1000n, 200_000n);
    const collection: Collection = {
      reference,
      accountReference,
      accountNumber: account?.number ?? '0000000000',
      amount: amount ?? 0n,
      fee,
      currency,
      narration: input.narration ?? `NIP: ${String(payer.account_name)}`,
      at: this.clock.iso(),
      payer,
    };
    if (amount && account && !this.collections.has(reference) && !input.data?.status) {
      this.collections.set(reference, collection);
      this.balance += amount - fee;
    }
    const data: Json = {
      reference,
      currency,
      amount: input.amountAsText ? input.amount : rawNumber(input.amount),
      fee: toNumber(fee),
      status: 'success',
      virtual_bank_account_details: {
        payer_bank_account: payer,
        virtual_bank_account: {
          account_name: account?.name ?? 'Nobody',
          account_number: collection.accountNumber,
          account_reference: accountReference,
          bank_name: account?.bankName ?? 'Test Bank',
          permanent: true,
        },
      },
      transaction_date: collection.at,
      ...input.data,
    };
    const kept = Object.fromEntries(Object.entries(data).filter(([member]) => !input.omit?.includes(member)));
    return { reference, delivery: this.outbox.add(this.options.webhookUrl, 'charge.success', kept, input) };
  }

  /** Takes a payout on: amount and fee leave the balance now, and come back if it fails. */
  accept(payout: Omit<Payout, 'status' | 'message' | 'fee'>): Payout {
    const accepted: Payout = {
      ...payout,
      fee: this.options.payoutFee,
      status: 'processing',
      message: 'Payout processing',
    };
    this.payouts.set(payout.reference, accepted);
    this.balance -= accepted.amount + accepted.fee;
    return accepted;
  }

  /** Plans the end of a payout after the rules of its payee's account. */
  planEnd(payout: Payout): void {
    const ending = endingOf(payout);
    if (ending === 'never') return;
    this.clock.after(this.random.between(...this.options.settleMs), () => {
      if (payout.status !== 'processing') return;
      this.settle(payout.reference, ending === 'failed' ? 'failed' : 'success', shapeOf(payout));
      if (ending !== 'reversed') return;
      this.clock.after(REVERSAL_MS, () => this.settle(payout.reference, 'reversed'));
    });
  }

  /** Ends a payout, or turns its end around, and tells of it. */
  settle(
    reference: string,
    status: 'success' | 'failed' | 'reversed',
    shape: WebhookShape & { reason?: string } = {},
  ): Delivery {
    const payout = this.payouts.get(reference);
    if (!payout) throw new Error(`no such payout: ${reference}`);
    const gone = (state: Payout['status']) => state === 'processing' || state === 'success';
    const moved = payout.amount + payout.fee;
    if (gone(payout.status) && !gone(status)) this.balance += moved;
    if (!gone(payout.status) && gone(status)) this.balance -= moved;
    payout.status = status;
    payout.message = shape.reason ?? (status === 'success' ? 'Payout successful' : 'Do not honor');
    const data = {
      fee: toNumber(payout.fee),
      amount: toNumber(payout.amount),
      status,
      currency: 'NGN',
      reference,
    };
    const { webhookUrl, payoutWebhookUrl } = this.options;
    const url = payout.notificationUrl ?? payoutWebhookUrl ?? webhookUrl;
    return this.outbox.add(url, `transfer.${status}`, data, shape);
  }

  #freeNumber(bankCode: string): string {
    for (;;) {
      const serial = this.random.digits(9);
      const number = `${serial}${nubanCheckDigit(bankCode, serial) ?? '0'}`;
      if (!this.accountsByNumber.has(number)) return number;
    }
  }
}

type Ending = 'success' | 'failed' | 'reversed' | 'never';

/** The bank's test accounts end as it documents; those of the fake's own bank 999 by their last digit. */
function endingOf({ bankCode, accountNumber }: Payout): Ending {
  if (bankCode === '035' && accountNumber === '0000000000') return 'failed';
  if (bankCode !== '999') return 'success';
  return accountNumber.endsWith('4') ? 'reversed' : accountNumber.endsWith('8') ? 'never' : 'success';
}

function shapeOf({ bankCode, accountNumber }: Payout): WebhookShape {
  if (bankCode !== '999') return {};
  if (accountNumber.endsWith('5')) return { mode: 'drop' };
  return accountNumber.endsWith('6') ? { times: 2 } : {};
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
