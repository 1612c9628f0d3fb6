import { type FieldError, validationError } from '../../kernel/errors.js';
import { DecimalText, type Kobo, koboFromNaira } from '../../kernel/money.js';
import { isStorable } from '../../kernel/text.js';
import { parseInstant } from '../../kernel/time.js';

/** A `charge.success` that is well formed: money reached the account of `accountReference`. */
export interface Charge {
  readonly reference: string;
  readonly amount: Kobo;
  readonly currency: string;
  readonly accountReference: string;
  readonly narration: string | null;
}

const REFERENCE_MAX = 200;
const TEXT_MAX = 1_000;

type Json = Record<string, unknown>;

/**
 * Reads the `event` of a webhook body. Throws `VALIDATION_ERROR` when it is missing or not a string.
 */
export function eventOf(body: unknown): string {
  const event = isObject(body) ? body['event'] : undefined;
  if (typeof event !== 'string') throw validationError({ field: 'event', message: 'must be a string' });
  return event;
}

/**
 * Reads the `data` of a `charge.success` (service.md, "POST /api/webhooks"). The amount is decimal naira and must
 * be a JSON number: it is converted from its decimal text, never by a float product.
 * Throws `VALIDATION_ERROR` with one entry for every failing field.
 */
export function readCharge(body: unknown): Charge {
  const data = isObject(body) ? body['data'] : undefined;
  if (!isObject(data)) throw validationError({ field: 'data', message: 'must be an object' });
  const errors: FieldError[] = [];
  const refuse = (field: string, message: string): null => {
    errors.push({ field: `data.${field}`, message });
    return null;
  };
  const text = (source: Json, field: string, name = field, max = TEXT_MAX): string | null => {
    const value = source[name] ?? null;
    if (value === null) return null;
    if (typeof value !== 'string' || !isStorable(value)) return refuse(field, 'must be a string');
    return value.length <= max ? value : refuse(field, `must have at most ${max} characters`);
  };
  const required = (source: Json, field: string, name = field): string => {
    const before = errors.length;
    const value = text(source, field, name, REFERENCE_MAX);
    if (!value && errors.length === before) refuse(field, 'is required');
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

  for (const field of ['payment_reference', 'payment_method', 'status']) text(data, field);
  const narration = text(data, 'narration');
  const fee = data['fee'] ?? null;
  if (fee !== null && typeof fee !== 'number' && !(fee instanceof DecimalText))
    refuse('fee', 'must be a number');
  const date = text(data, 'transaction_date');
  if (date !== null && !parseInstant(date)) refuse('transaction_date', 'must be an ISO 8601 date and time');
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
  return { reference, amount, currency, accountReference, narration };
}

/** The amount in kobo, or what is wrong with it. */
function readAmount(value: unknown): Kobo | string {
  if (!(value instanceof DecimalText)) return value === null ? 'is required' : 'must be a JSON number';
  return koboFromNaira(value.text) ?? 'must be a positive amount in naira with at most 2 decimal places';
}

function isObject(value: unknown): value is Json {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof DecimalText)
  );
}
