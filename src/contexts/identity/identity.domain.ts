const LOGIN_DELAY_SECONDS_MAX = 60;

/**
 * How long an address that just tried the password of an account has to wait before it tries again, when there were
 * `failures` from anywhere of which `free` cost nothing: 1 s, 2 s, 4 s … 60 s.
 */
export function loginDelaySeconds(failures: number, free: number): number {
  return failures < free ? 0 : Math.min(2 ** (failures - free), LOGIN_DELAY_SECONDS_MAX);
}
