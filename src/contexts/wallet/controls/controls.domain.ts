import { isDeepStrictEqual } from 'node:util';
import { validationError } from '../../../kernel/errors.js';
import type { CoolingOff, WalletControls } from '../wallet.port.js';

/** Every member of {@link WalletControls}, under the names in which owners set and see them. */
const NAMES = [
  'duplicateGuardMinutes',
  'payeePolicy',
  'verifyRecipient',
  'coolingOff',
  'approvalThreshold',
  'approvalTtlMinutes',
] as const satisfies readonly (keyof WalletControls)[];

/** What is to become different; null takes a control away, what is absent stays. */
export type ControlsChange = {
  readonly [Name in keyof WalletControls]?: WalletControls[Name] | null | undefined;
};

type Nullable<T> = { readonly [Name in keyof T]?: T[Name] | null | undefined };

/** The controls as a request names them: also within them null is the same as absent. */
export type ControlsRequest = Omit<ControlsChange, 'coolingOff'> & {
  readonly coolingOff?: Nullable<CoolingOff> | null | undefined;
};

/** Of the members of a request, those that are controls. Throws `VALIDATION_ERROR` for hours without their cap. */
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

/** The controls once `change` is made; null when none is left. */
export function changedControls(
  before: WalletControls | null,
  change: ControlsChange,
): WalletControls | null {
  const after = Object.entries({ ...before, ...change }).filter(([, value]) => value != null);
  return after.length > 0 ? Object.fromEntries(after) : null;
}

/** The controls that differ, each by its name, as they were and as they are; null where there was or is none. */
export function controlsDiffering(
  before: WalletControls | null,
  after: WalletControls | null,
): { before: ControlsChange; after: ControlsChange } {
  const names = NAMES.filter((name) => !isDeepStrictEqual(before?.[name], after?.[name]));
  const of = (controls: WalletControls | null): ControlsChange =>
    Object.fromEntries(names.map((name) => [name, controls?.[name] ?? null]));
  return { before: of(before), after: of(after) };
}
