export const PASSKEY_TEXT_MAX = 8_192;
const LOGIN_DELAY_SECONDS_MAX = 60;

/** Seconds an address waits after `failures` from anywhere: 0 for the first `free`, then 1, 2, 4 … 60. */
export function loginDelaySeconds(failures: number, free: number): number {
  return failures < free ? 0 : Math.min(2 ** (failures - free), LOGIN_DELAY_SECONDS_MAX);
}
