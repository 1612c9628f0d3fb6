/* What owners can switch on beyond the limits, in words. */

const HOUR = 60;

/** Minutes to choose from; undefined: as long as its owner chose nothing. */
export const DUPLICATE_GUARDS = [undefined, 0, 5, 10, 30, HOUR, 24 * HOUR] as const;

export function duplicateGuardInWords(minutes: number | undefined): string {
  if (minutes === undefined) return 'For MCP clients only';
  if (minutes === 0) return 'Off';
  return minutes % HOUR === 0
    ? `Within ${minutes === HOUR ? 'an hour' : `${minutes / HOUR} hours`}`
    : `Within ${minutes} minutes`;
}
