import { z } from 'zod';
import { naira } from '../../../kernel/money.js';

/** In words too, against errors by a factor of 100. */
export const Money = z.strictObject({
  kobo: z.int().describe('The exact amount: 100 kobo = ₦1.'),
  naira: z.string().describe('The same amount in naira, e.g. "₦3,200.00".'),
});

export type Money = z.infer<typeof Money>;

/** `320000` becomes `{kobo: 320000, naira: '₦3,200.00'}`; may be negative. */
export function money(amount: number): Money {
  return { kobo: amount, naira: naira(amount) };
}
