import type { Kobo } from '../../../../kernel/money.js';
import type { LockedWallet } from '../../../wallet/wallet.port.js';
import type { Cooling, CoolingOffFacts, Facts, Intent } from '../../checks/facts.port.js';
import { recipientOf } from '../../payments.port.js';
import { accountText } from '../payees/payees.domain.js';
import type { Rule } from '../rule.domain.js';

type Part = readonly [name: keyof CoolingOffFacts, cooling: Cooling];

const HOUR_MS = 60 * 60_000;

/** Parts that still cool off: the facts may be asked of a later time. */
const partsOf = ({ coolingOff = {}, now }: Facts): Part[] =>
  (Object.entries(coolingOff) as Part[]).filter(
    ([, { until, isUnbegun }]) => isUnbegun === true || Date.parse(now) < Date.parse(until),
  );
const leftOf = ({ cap, spent }: Cooling): number => Math.max(0, cap - spent);
const failing = (facts: Facts, { amount }: Intent): Part[] =>
  partsOf(facts).filter(([, cooling]) => amount > leftOf(cooling));
/** Largest amount that passes now, in kobo. */
const limitOf = (facts: Facts): number => Math.min(...partsOf(facts).map(([, cooling]) => leftOf(cooling)));
/** When all parts have cooled off; null if one starts only with a payment. */
const lastOf = (parts: readonly Part[]): string | null =>
  parts.some(([, { isUnbegun }]) => isUnbegun)
    ? null
    : parts.map(([, { until }]) => until).reduce((one, other) => (one > other ? one : other));

/** Caps what a new key or payee may move in its first hours. */
export const COOLING_OFF: Rule = {
  blockedAs: 'COOLING_OFF',
  title: 'Cooling-off limit',
  blockTitle: 'Over the cooling-off limit',
  applies: ({ coolingOff }) => coolingOff !== undefined,
  passes: (facts, intent) => failing(facts, intent).length === 0,
  compared: (facts, intent) => {
    const parts = failing(facts, intent);
    const last = parts.length > 0 ? lastOf(parts) : null;
    return {
      limit: limitOf(facts),
      actual: intent.amount,
      coolingOff: (parts.length > 0 ? parts : partsOf(facts)).map(([name]) => name).join(', '),
      ...(last !== null && { earliestPassAt: last }),
    };
  },
  passesWhen: (facts, intent) => {
    const until = lastOf(failing(facts, intent));
    return until === null ? null : { until };
  },
  message: (facts, intent) => {
    const parts = failing(facts, intent);
    const names = parts.map(([name]) => `the ${name}`).join(' and ');
    return (
      `The amount ${intent.amount} is more than may be paid while ${names} ${parts.length > 1 ? 'cool' : 'cools'} off: ` +
      `${limitOf(facts)} kobo ${periodOf(facts, parts)}.`
    );
  },
};

function periodOf({ now }: Facts, parts: readonly Part[]): string {
  const last = lastOf(parts);
  if (last !== null) return `until ${last}`;
  const ends = parts.flatMap(([, { until, isUnbegun }]) => (isUnbegun ? [Date.parse(until)] : []));
  return `until ${(Math.max(...ends) - Date.parse(now)) / HOUR_MS} hours after its first payment`;
}

export interface CoolingAccount {
  readonly walletId: string;
  readonly accountNumber: string;
  readonly bankCode: string;
  /** First payment or registration; null: neither. */
  readonly since: Date | null;
  /** Not refunded, in kobo. */
  readonly coolingSpent: Kobo;
}

export interface CoolingKey {
  readonly walletId: string;
  readonly keyId: string;
  /** Creation, or that of the key whose age it inherited. */
  readonly since: Date;
  /** Not refunded, in kobo. */
  readonly coolingSpent: Kobo;
}

export interface CoolingReadings {
  readonly coolingAccounts: readonly CoolingAccount[];
  readonly coolingKeys: readonly CoolingKey[];
}

interface Age {
  /** Null: starts at the next approved payment. */
  readonly since: Date | null;
  readonly spent: number;
}

export class CoolingState {
  /** By key id, or account. */
  private readonly ages = new Map<string, Age>();

  /** Later readings override earlier ones. */
  constructor({ coolingAccounts, coolingKeys }: CoolingReadings) {
    for (const { keyId, since, coolingSpent: spent } of coolingKeys) this.ages.set(keyId, { since, spent });
    for (const { accountNumber, bankCode, since, coolingSpent: spent } of coolingAccounts) {
      this.ages.set(`${bankCode}/${accountNumber}`, { since, spent });
    }
  }

  /** Undefined if neither key nor payee cools off. */
  factsOf({ controls }: LockedWallet, intent: Intent, keyId: string, now: Date): CoolingOffFacts | undefined {
    const { newKeyHours, newKeyCap, newPayeeHours, newPayeeCap } = controls?.coolingOff ?? {};
    const key = this.cooling(keyId, newKeyHours, newKeyCap, now);
    const payee = this.cooling(accountText(recipientOf(intent)), newPayeeHours, newPayeeCap, now);
    return key || payee ? { ...(key && { key }), ...(payee && { payee }) } : undefined;
  }

  private cooling(
    name: string,
    hours: number | undefined,
    cap: number | undefined,
    now: Date,
  ): Cooling | undefined {
    if (hours === undefined || cap === undefined) return undefined;
    const { since, spent } = this.of(name);
    const until = new Date((since ?? now).getTime() + hours * HOUR_MS);
    if (now >= until) return undefined;
    return { cap, spent, until: until.toISOString(), ...(since === null && { isUnbegun: true }) };
  }

  /** Applies an approval; `paidAt` is null while it waits for a person. */
  approve(intent: Intent, keyId: string, { coolingOff }: Facts, paidAt: Date | null): void {
    const names = [
      ...(coolingOff?.key ? [keyId] : []),
      ...(coolingOff?.payee ? [accountText(recipientOf(intent))] : []),
    ];
    for (const name of names) {
      const { since, spent } = this.of(name);
      this.ages.set(name, { since: since ?? paidAt, spent: spent + intent.amount });
    }
  }

  private of(name: string): Age {
    const age = this.ages.get(name);
    if (!age) throw new Error(`first-use time of ${name} was not loaded`);
    return age;
  }
}
