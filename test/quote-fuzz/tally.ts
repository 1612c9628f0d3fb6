import type { Paid, Quote } from './case.js';
import type { Pay } from './scenarios.js';

/** What has to occur in a run of a few hundred cases, or the run proved nothing of it. */
const RULES = [
  ...['approved', 'pending', 'INVALID_API_KEY'],
  ...['WALLET_INACTIVE', 'WALLET_EXPIRED', 'SPEND_LIMIT_PER_TX_EXCEEDED', 'SPEND_LIMIT_PER_PERIOD_EXCEEDED'],
  ...['MERCHANT_NOT_ALLOWED', 'INSUFFICIENT_FUNDS', 'KEY_LIMIT_EXCEEDED', 'PAYEE_NOT_ALLOWED', 'COOLING_OFF'],
  ...['POSSIBLE_DUPLICATE', 'APPROVAL_LIMIT_REACHED'],
  ...['key expiry', 'key spendLimitPerTx', 'key spendLimitPeriod', 'key allowedMerchants', 'key payee'],
  ...['key totalCap', 'key maxPayments'],
  ...['payee first_use', 'payee strict', 'payee warned', 'payee unknown to its bank', 'payees are full'],
  ...['cooling key', 'cooling payee', 'second purchase confirmed', 'wallet suspended', 'wallet closed'],
  ...['too little beside what is held'],
  ...['the most passes and one kobo more does not', 'passes at earliestPassAt and not before'],
  ...['a repetition', 'a quote after it'],
] as const;
type Rule = (typeof RULES)[number];

/** How often each rule decided, and each promise was tried. */
export class Tally {
  private readonly counts = new Map<string, number>();

  count(rule: Rule): void {
    this.counts.set(rule, (this.counts.get(rule) ?? 0) + 1);
  }

  /** Notes what decided a case. */
  decided(pay: Pay, quoted: Quote, { code, decision, body }: Paid): void {
    this.count((code ?? decision) as Rule);
    const checks = quoted.checks.filter(({ check }) => check === (code ?? check));
    const failed = checks.find(({ passed }) => !passed)?.compared ?? {};
    if (code === 'KEY_LIMIT_EXCEEDED') this.count(`key ${String(failed.keyLimit)}` as Rule);
    if (code === 'COOLING_OFF') {
      for (const part of String(failed.coolingOff).split(', ')) this.count(`cooling ${part}` as Rule);
    }
    if (code === 'PAYEE_NOT_ALLOWED') {
      const { payeePolicy } = failed;
      this.count(
        payeePolicy === undefined ? 'payee unknown to its bank' : (`payee ${String(payeePolicy)}` as Rule),
      );
      if (String(body.message).includes('there are as many as there can be')) this.count('payees are full');
    }
    if (code === 'WALLET_INACTIVE') {
      this.count(failed.actual === 'CLOSED' ? 'wallet closed' : 'wallet suspended');
    }
    if (code === 'INSUFFICIENT_FUNDS' && String(body.message).includes('are held')) {
      this.count('too little beside what is held');
    }
    if (code === null && isWarned(quoted)) this.count('payee warned');
    if (code === null && pay.confirms === 'what is like it' && repeats(quoted)) {
      this.count('second purchase confirmed');
    }
  }

  missing(): string[] {
    return RULES.filter((rule) => !this.counts.has(rule));
  }

  toString(): string {
    return RULES.map((rule) => `  ${String(this.counts.get(rule) ?? 0).padStart(6)}  ${rule}`).join('\n');
  }
}

/** The policy warns, and the account is not one that the merchant is known at. */
function isWarned({ checks }: Quote): boolean {
  return checks.some(
    ({ compared: { payeePolicy, limit, actual } }) =>
      payeePolicy === 'warn' && limit !== undefined && !String(limit).split(', ').includes(String(actual)),
  );
}

/** The guard found one like it, not long ago. */
function repeats({ checks }: Quote): boolean {
  return checks.some(
    ({ check, compared: { limit, actual } }) =>
      check === 'POSSIBLE_DUPLICATE' && limit !== undefined && String(actual) < String(limit),
  );
}
