let isHeard = false;

/** Whether the events of the service are heard: then nothing needs to be asked for on a clock. */
export const isLive = () => isHeard;

export function setLive(is: boolean): void {
  isHeard = is;
}
