import { koboFromNaira } from '../../../kernel/money.js';
import { parseInstant } from '../../../kernel/time.js';
import type { BankName, Collection, IssuedAccount } from '../bank.port.js';
import { isObject, textOf } from './kora-json.js';

/** In any case, or not named. */
export function isAbout(data: unknown, reference: string): boolean {
  const named = isObject(data) ? textOf(data.reference) : null;
  return named === null || named.toLowerCase() === reference.toLowerCase();
}

/** Null unless it is the account of `accountReference`. */
export function readAccount(data: unknown, accountReference: string): IssuedAccount | null {
  if (!isObject(data) || data.account_reference !== accountReference) return null;
  const accountNumber = textOf(data.account_number);
  const accountName = textOf(data.account_name);
  const bankName = textOf(data.bank_name);
  const bankCode = textOf(data.bank_code);
  if (!accountNumber || !/^\d{10}$/.test(accountNumber) || !accountName || !bankName || !bankCode)
    return null;
  return {
    accountNumber,
    accountName,
    bankName,
    bankCode,
    providerRef: textOf(data.unique_id) ?? accountReference,
  };
}

/** `absent`: no money came in. */
export type ReadCharge =
  | { readonly kind: 'money'; readonly money: Omit<Collection, 'accountReference'> }
  | { readonly kind: 'absent' | 'unreadable' };

/** Only `success` is money. */
export function readCharge(data: unknown): ReadCharge {
  if (!isObject(data) || typeof data.status !== 'string') return { kind: 'unreadable' };
  if (data.status !== 'success') return { kind: 'absent' };
  const reference = textOf(data.reference);
  const amount = typeof data.amount === 'string' ? koboFromNaira(data.amount) : null;
  const currency = textOf(data.currency);
  if (!reference || !amount || !currency) return { kind: 'unreadable' };
  const account = isObject(data.virtual_bank_account) ? data.virtual_bank_account : {};
  const narration = textOf(account.transaction_narration) ?? textOf(data.description);
  return { kind: 'money', money: { reference, amount, currency, narration, at: chargeTime(data) } };
}

/** Null unless it came in over a virtual account. */
export function chargedAccount(
  data: unknown,
): { accountReference: string; accountNumber: string | null } | null {
  const account = isObject(data) && isObject(data.virtual_bank_account) ? data.virtual_bank_account : {};
  const accountReference = textOf(account.account_reference);
  return accountReference ? { accountReference, accountNumber: textOf(account.account_number) } : null;
}

export function readBanks(data: unknown): BankName[] | null {
  if (!Array.isArray(data)) return null;
  return data.flatMap((bank: unknown) => {
    const code = isObject(bank) && textOf(bank.code);
    const name = isObject(bank) && textOf(bank.name);
    return code && name ? [{ code, name }] : [];
  });
}

/** Undocumented; if present, under one of these names. */
function chargeTime(data: Readonly<Record<string, unknown>>): Date | null {
  const text = textOf(data.transaction_date) ?? textOf(data.completed_at) ?? textOf(data.created_at);
  return text ? parseInstant(text) : null;
}
