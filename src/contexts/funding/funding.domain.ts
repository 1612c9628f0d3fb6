import { type FieldError, validationError } from '../../kernel/errors.js';
import { DecimalText, type Kobo, koboFromNaira } from '../../kernel/money.js';
import { isStorable, storable } from '../../kernel/text.js';

export interface Charge {
  readonly reference: string;
  readonly amount: Kobo;
  readonly currency: string;
  readonly accountReference: string;
  /** Storable, at most {@link NARRATION_MAX} code points. */
  readonly narration: string | null;
  /** `data.status` as sent, shortened; null if absent. */
  readonly bankStatus: string | null;
}

const NARRATION_MAX = 1_000;
const REFERENCE_MAX = 200;

type Json = Record<string, unknown>;

/** Throws `VALIDATION_ERROR` unless it is a string. */
export function eventOf(body: unknown): string {
  const event = isObject(body) ? body['event'] : undefined;
  if (typeof event !== 'string') throw validationError({ field: 'event', message: 'must be a string' });
  return event;
}

/**
 * Naira must be a JSON number and are converted from their text, never by a float. Throws `VALIDATION_ERROR`
 * with an entry per field.
 */
export function readCharge(body: unknown): Charge {
  const data = isObject(body) ? body['data'] : undefined;
  if (!isObject(data)) throw validationError({ field: 'data', message: 'must be an object' });
  const errors: FieldError[] = [];
  const refuse = (field: string, message: string): null => {
    errors.push({ field: `data.${field}`, message });
    return null;
  };
  const text = (source: Json, field: string, name = field): string | null => {
    const value = source[name] ?? null;
    return value === null || typeof value === 'string' ? value : refuse(field, 'must be a string');
  };
  const required = (source: Json, field: string, name = field): string => {
    const before = errors.length;
    const value = text(source, field, name);
    if (errors.length > before) return '';
    if (!value) refuse(field, 'is required');
    else if (!isStorable(value)) refuse(field, 'must be text without NUL and lone surrogates');
    else if (value.length > REFERENCE_MAX) refuse(field, `must have at most ${REFERENCE_MAX} characters`);
    return value ?? '';
  };
  const part = (field: string): Json => {
    const value = data[field] ?? null;
    if (value === null || isObject(value)) return value ?? {};
    refuse(field, 'must be an object');
    return {};
  };

  const reference = required(data, 'reference');
  const amount = readAmount(data['amount'] ?? null);
  if (typeof amount === 'string') refuse('amount', amount);
  const currency = required(data, 'currency');
  if (currency && [...currency].length !== 3) refuse('currency', 'must have exactly 3 characters');
  const account = part('virtual_bank_account');
  const accountReference = required(account, 'virtual_bank_account.account_reference', 'account_reference');

  for (const field of ['payment_reference', 'payment_method']) text(data, field);
  const status = text(data, 'status');
  const narration = text(data, 'narration');
  const fee = data['fee'] ?? null;
  if (fee !== null && typeof fee !== 'number' && !(fee instanceof DecimalText))
    refuse('fee', 'must be a number');
  const date = text(data, 'transaction_date');
  if (date !== null && !isIsoDate(date)) refuse('transaction_date', 'must be an ISO 8601 date and time');
  const payer = part('payer_bank_account');
  const customer = part('customer');
  for (const name of ['account_name', 'account_number', 'bank_name', 'bank_code']) {
    text(payer, `payer_bank_account.${name}`, name);
  }
  for (const name of ['account_name', 'account_number', 'bank_name']) {
    text(account, `virtual_bank_account.${name}`, name);
  }
  for (const name of ['name', 'email']) text(customer, `customer.${name}`, name);

  if (errors.length > 0 || typeof amount === 'string') throw validationError(...errors);
  const [keptNarration, bankStatus] = [narration, status].map((value) =>
    value === null ? null : storedText(value),
  );
  return {
    reference,
    amount,
    currency,
    accountReference,
    narration: keptNarration ?? null,
    bankStatus: bankStatus ?? null,
  };
}

const CONTRADICTIONS: ReadonlySet<string> = new Set(['failed', 'reversed', 'pending', 'processing']);

/** The event's name is unsigned: a failed charge can be replayed as `charge.success`. */
function contradictsSuccess(bankStatus: string | null): boolean {
  return bankStatus !== null && CONTRADICTIONS.has(bankStatus.trim().toLowerCase());
}

/** Null: it is credited. */
export function holdReason({ bankStatus, currency }: Charge): string | null {
  if (contradictsSuccess(bankStatus)) {
    return `the bank reports a success whose data.status is "${bankStatus?.trim()}"`;
  }
  return currency.toUpperCase() === 'NGN' ? null : `a naira account cannot hold ${currency.toUpperCase()}`;
}

export interface ChargeFacts {
  readonly accountReference: string;
  readonly amount: Kobo;
  readonly currency: string;
  readonly bankStatus: string | null;
}

/** Null for a repeat. Banks word success in several ways, so only a denial counts. */
export function conflictWith(
  seen: Omit<ChargeFacts, 'accountReference'> & {
    readonly walletId: string | null;
    readonly status: string;
    readonly accountReference?: string | null;
  },
  delivered: ChargeFacts,
): string | null {
  const accountReference = seen.accountReference ?? seen.walletId ?? '';
  const isSame =
    accountReference === delivered.accountReference &&
    seen.amount === delivered.amount &&
    seen.currency === delivered.currency &&
    contradictsSuccess(seen.bankStatus) === contradictsSuccess(delivered.bankStatus);
  if (isSame) return null;
  const recorded = factsOf({ ...seen, accountReference });
  return `on record as ${seen.status}: ${recorded}; delivered again as: ${factsOf(delivered)}`;
}

function factsOf({ amount, currency, accountReference, bankStatus }: ChargeFacts): string {
  const status = bankStatus === null ? '' : `, status "${bankStatus}"`;
  return `${amount} kobo in ${currency} for the wallet ${accountReference}${status}`;
}

/** Shortened and made storable: text must never cause money to be refused. */
export function storedText(text: string): string {
  const sound = storable(text);
  const points = Array.from(sound);
  return points.length <= NARRATION_MAX ? sound : `${points.slice(0, NARRATION_MAX - 1).join('')}…`;
}

const DATE = /^(\d{4})(?:-(\d{2})-(\d{2})|(\d{2})(\d{2}))(?:[Tt ](.+))?$/;
const TIME = /^(\d{2})(?::?(\d{2})(?::?(\d{2}))?)?(?:[.,]\d+)?\s?(?:[Zz]|[+-](\d{2})(?::?(\d{2}))?)?$/;

/** ISO 8601 date that exists, with or without a time. */
function isIsoDate(text: string): boolean {
  const [, year, month, day, basicMonth, basicDay, time] = DATE.exec(text) ?? [];
  if (year === undefined) return false;
  const [monthOf, dayOf] = [Number(month ?? basicMonth), Number(day ?? basicDay)];
  const date = new Date(0);
  date.setUTCFullYear(Number(year), monthOf - 1, dayOf);
  if (date.getUTCMonth() !== monthOf - 1 || date.getUTCDate() !== dayOf) return false;
  if (time === undefined) return true;
  const parts = TIME.exec(time);
  if (!parts) return false;
  const [hour = 0, minute = 0, second = 0, offsetHour = 0, offsetMinute = 0] = parts
    .slice(1)
    .map((part: string | undefined) => Number(part ?? 0));
  const isInDay = hour < 24 || (hour === 24 && minute === 0 && second === 0);
  return isInDay && minute < 60 && second <= 60 && offsetHour < 24 && offsetMinute < 60;
}

function readAmount(value: unknown): Kobo | string {
  if (!(value instanceof DecimalText)) return value === null ? 'is required' : 'must be a JSON number';
  return koboFromNaira(value.text) ?? 'must be a positive amount in naira with at most 2 decimal places';
}

function isObject(value: unknown): value is Json {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof DecimalText)
  );
}
