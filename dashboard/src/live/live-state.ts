let isHeard = false;

/** True while events arrive: nothing polls then. */
export const isLive = () => isHeard;

export function setLive(is: boolean): void {
  isHeard = is;
}
