interface Payment {
  readonly transaction: { readonly amount: number };
}

export const sumOf = (payments: readonly Payment[]): number =>
  payments.reduce((sum, { transaction }) => sum + transaction.amount, 0);

/** In their order, each that the sum still has room for. */
export function amongUpTo<Each extends Payment>(payments: readonly Each[], most: number): Each[] {
  let left = most;
  return payments.filter(({ transaction: { amount } }) => {
    if (amount > left) return false;
    left -= amount;
    return true;
  });
}
