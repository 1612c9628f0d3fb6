import type { Wallet } from '../api/types.js';

const EXAMPLE = {
  amount: 125_050,
  merchantName: 'Shoprite',
  recipientAccountNo: '0123456789',
  recipientBankCode: '058',
  reason: 'Groceries',
};

/** A payment to try, which the wallet's own limit and allowlist let pass. */
export function examplePayment({
  spendLimitPerTx,
  useAllowlist,
  merchantAllowlist: [listed],
}: Pick<Wallet, 'spendLimitPerTx' | 'useAllowlist' | 'merchantAllowlist'>): typeof EXAMPLE {
  return {
    ...EXAMPLE,
    amount: Math.min(EXAMPLE.amount, spendLimitPerTx),
    merchantName: (useAllowlist && listed) || EXAMPLE.merchantName,
  };
}
