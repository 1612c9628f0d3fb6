import { z } from 'zod';
import { kobo, nairaFromKobo } from '../../../kernel/money.js';

/** An amount as tools answer it: exact for programs, and in words that a model does not get wrong by a factor of 100. */
export const Money = z.strictObject({
  kobo: z.int().describe('The exact amount: 100 kobo = ₦1.'),
  naira: z.string().describe('The same amount in naira, e.g. "₦3,200.00".'),
});

/** `320000` as `{kobo: 320000, naira: '₦3,200.00'}`; a limit that was lowered below what is spent is negative. */
export function money(amount: number): z.infer<typeof Money> {
  return { kobo: amount, naira: naira(amount) };
}

/** `320000` as `₦3,200.00`, by integer arithmetic. */
export function naira(amount: number): string {
  const [whole = '', fraction = ''] = nairaFromKobo(kobo(Math.abs(amount))).split('.');
  return `${amount < 0 ? '-' : ''}₦${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${fraction}`;
}
