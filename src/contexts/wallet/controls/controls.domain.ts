import { isDeepStrictEqual } from 'node:util';
import type { WalletControls } from '../wallet.port.js';

/** Every member of {@link WalletControls}, under the names in which owners set and see them. */
const NAMES = [
  'duplicateGuardMinutes',
  'approvalThreshold',
  'approvalTtlMinutes',
] as const satisfies readonly (keyof WalletControls)[];

/** What is to become different; null takes a control away, what is absent stays. */
export type ControlsChange = {
  readonly [Name in keyof WalletControls]?: WalletControls[Name] | null | undefined;
};

/** Of the members of a request, those that are controls. */
export function controlsIn(body: ControlsChange): ControlsChange {
  return Object.fromEntries(
    NAMES.filter((name) => body[name] !== undefined).map((name) => [name, body[name]]),
  );
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
