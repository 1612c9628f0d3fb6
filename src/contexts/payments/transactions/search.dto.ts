import { applyDecorators } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { validationError } from '../../../kernel/errors.js';
import { KOBO_MAX } from '../../../kernel/money.js';
import { PAGE_SIZE_MAX } from '../../../kernel/page.js';
import { merchantIdentity } from '../../../kernel/text.js';
import {
  instantOf,
  koboOf,
  type Query,
  textOf,
  uuidOf,
  uuidsOf,
  wordsOf,
} from '../../../platform/http/api/query.js';
import { PAYMENT_STATUSES } from '../payments.domain.js';
import type { PaymentFilter } from './search.domain.js';

export const LIMIT_DEFAULT = 10;
const TEXT_MAX = 200;
const WALLETS_MAX = 100;

const parameter = (name: string, description: string, schema: object) =>
  ApiQuery({ name, required: false, description, schema });
const text = { type: 'string', minLength: 1, maxLength: TEXT_MAX };
const amount = { type: 'integer', format: 'int64', minimum: 0, maximum: KOBO_MAX };
const instant = { type: 'string', format: 'date-time' };

export const KeysetPaged = () =>
  applyDecorators(
    parameter('cursor', 'The nextCursor of the page before; the first page without.', { type: 'string' }),
    parameter('limit', `How many; more than ${PAGE_SIZE_MAX} counts as ${PAGE_SIZE_MAX}.`, {
      type: 'integer',
      minimum: 1,
      default: LIMIT_DEFAULT,
    }),
  );

export const FilteredPayments = () =>
  applyDecorators(
    parameter('maxAmount', 'At most this amount, in kobo.', amount),
    parameter('minAmount', 'At least this amount, in kobo.', amount),
    parameter(
      'search',
      'Part of the merchant’s name or of the reason, or the whole account number or id.',
      text,
    ),
    parameter('key', 'Only payments that this key asked for: its id.', { type: 'string', format: 'uuid' }),
    parameter('merchant', 'The merchant, regardless of case and spaces.', text),
    parameter('to', 'Requested before this moment.', instant),
    parameter('from', 'Requested at this moment or later.', instant),
    parameter('walletId', `Only payments of these wallets: 1 to ${WALLETS_MAX} ids, separated by commas.`, {
      type: 'string',
    }),
    parameter(
      'status',
      `Only payments with these statuses: any of ${PAYMENT_STATUSES.join(', ')}, separated by commas.`,
      {
        type: 'string',
      },
    ),
  );

/** Throws `VALIDATION_ERROR`. */
export function filterOf(query: Query): PaymentFilter {
  const merchant = textOf(query, 'merchant', TEXT_MAX);
  const search = textOf(query, 'search', TEXT_MAX);
  const text = search && merchantIdentity(search);
  const filter = {
    keyId: uuidOf(query, 'key'),
    walletIds: uuidsOf(query, 'walletId', WALLETS_MAX),
    statuses: wordsOf(query, 'status', PAYMENT_STATUSES),
    from: instantOf(query, 'from'),
    to: instantOf(query, 'to'),
    merchant: merchant && merchantIdentity(merchant),
    text,
    phrase: search === text ? null : search,
    minAmount: koboOf(query, 'minAmount'),
    maxAmount: koboOf(query, 'maxAmount'),
  };
  const { from, to, minAmount, maxAmount } = filter;
  if (from && to && to <= from) throw validationError({ field: 'to', message: 'must be later than from' });
  if (minAmount !== null && maxAmount !== null && maxAmount < minAmount) {
    throw validationError({ field: 'maxAmount', message: 'must be at least minAmount' });
  }
  return filter;
}
