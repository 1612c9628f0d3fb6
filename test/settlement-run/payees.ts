type Account = readonly [bankCode: string, accountNumber: string];

/** Payouts to this account never end by themselves. */
export const STUCK: Account = ['999', '0000000008'];
/** The bank refuses payouts to it at once; and to the other one later. */
const REFUSED: Account = ['011', '9999999999'];
const FAILING: Account = ['035', '0000000000'];

/** Payouts to these are refunded. */
export const UNPAYABLE: readonly Account[] = [FAILING, REFUSED];

/** Payees by how their payouts end; most are paid. */
export const PAYEES: readonly Account[] = [
  ['033', '0000000000'],
  ['058', '0123456789'],
  ['044', '1234567890'],
  FAILING,
  REFUSED,
  ['999', '0000000001'],
  ['999', '0000000003'],
  ['999', '0000000005'],
  ['999', '0000000006'],
  ['999', '0000000007'],
  STUCK,
  ['999', '0000000009'],
];
