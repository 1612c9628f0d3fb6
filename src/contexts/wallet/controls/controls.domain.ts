import { isDeepStrictEqual } from 'node:util';
import { validationError } from '../../../kernel/errors.js';
import type { CoolingOff, PayeePolicy, WalletControls } from '../wallet.events.js';

/** Undefined: not set. A larger value is looser. */
type Looseness<Name extends keyof WalletControls> = (
  chosen: WalletControls[Name] | undefined,
) => readonly number[];

const STRICTNESS: Readonly<Record<PayeePolicy, number>> = { off: 0, warn: 1, first_use: 2, strict: 3 };

/** Between 0 (off) and one minute: payments can still ask for the guard. */
const GUARD_UNCHOSEN = 0.5;

/** Loosening one needs the second factor. */
const CONTROLS: { readonly [Name in keyof Required<WalletControls>]: Looseness<Name> } = {
  duplicateGuardMinutes: (minutes = GUARD_UNCHOSEN) => [-minutes],
  payeePolicy: (policy = 'off') => [-STRICTNESS[policy]],
  verifyRecipient: (isOn = false) => [isOn ? 0 : 1],
  coolingOff: ({ newKeyHours = 0, newKeyCap, newPayeeHours = 0, newPayeeCap } = {}) => [
    -newKeyHours,
    newKeyCap ?? Infinity,
    -newPayeeHours,
    newPayeeCap ?? Infinity,
  ],
  approvalThreshold: (threshold) => [threshold ?? Infinity],
  approvalTtlMinutes: () => [],
  secondApprovalAbove: (amount) => [amount ?? Infinity],
};
const NAMES = Object.keys(CONTROLS) as (keyof WalletControls)[];

export function areLoosened(before: WalletControls | null, after: WalletControls | null): boolean {
  const valuesOf = (controls: WalletControls | null) =>
    NAMES.flatMap((name) => (CONTROLS[name] as Looseness<typeof name>)(controls?.[name]));
  const were = valuesOf(before);
  return valuesOf(after).some((value, i) => value > (were[i] as number));
}

/** Null removes a control; an absent one stays. */
export type ControlsChange = {
  readonly [Name in keyof WalletControls]?: WalletControls[Name] | null | undefined;
};

type Nullable<T> = { readonly [Name in keyof T]?: T[Name] | null | undefined };

/** Null means absent, also inside a control. */
export type ControlsRequest = Omit<ControlsChange, 'coolingOff'> & {
  readonly coolingOff?: Nullable<CoolingOff> | null | undefined;
};

/** Throws `VALIDATION_ERROR` for hours without their cap. */
export function controlsIn(body: ControlsRequest): ControlsChange {
  const controls = { ...body, ...(body.coolingOff && { coolingOff: coolingOff(body.coolingOff) }) };
  return Object.fromEntries(
    NAMES.filter((name) => controls[name] !== undefined).map((name) => [name, controls[name]]),
  );
}

function coolingOff(asked: Nullable<CoolingOff>): CoolingOff {
  const given = Object.entries(asked).filter(([, value]) => value != null);
  const names = given.map(([name]) => name);
  for (const [one, other] of [
    ['newKeyHours', 'newKeyCap'],
    ['newPayeeHours', 'newPayeeCap'],
  ] as const) {
    if (names.includes(one) === names.includes(other)) continue;
    const field = `coolingOff.${names.includes(one) ? other : one}`;
    throw validationError({ field, message: `is required: ${one} and ${other} go together` });
  }
  if (given.length === 0) {
    throw validationError({ field: 'coolingOff', message: 'must have hours and a cap, or be null' });
  }
  return Object.fromEntries(given);
}

/** Null if none is left. */
export function changedControls(
  before: WalletControls | null,
  change: ControlsChange,
): WalletControls | null {
  const after = Object.entries({ ...before, ...change }).filter(([, value]) => value != null);
  return after.length > 0 ? Object.fromEntries(after) : null;
}

export function controlsDiffering(
  before: WalletControls | null,
  after: WalletControls | null,
): { before: ControlsChange; after: ControlsChange } {
  const names = NAMES.filter((name) => !isDeepStrictEqual(before?.[name], after?.[name]));
  const of = (controls: WalletControls | null): ControlsChange =>
    Object.fromEntries(names.map((name) => [name, controls?.[name] ?? null]));
  return { before: of(before), after: of(after) };
}
