export const PASSKEY_TEXT_MAX = 8_192;
const LOGIN_DELAY_SECONDS_MAX = 60;

/**
 * Delay of an address's next try after `failures` from anywhere, the first `free` without: 1 s, 2 s, 4 s … 60
 * s.
 */
export function loginDelaySeconds(failures: number, free: number): number {
  return failures < free ? 0 : Math.min(2 ** (failures - free), LOGIN_DELAY_SECONDS_MAX);
}
