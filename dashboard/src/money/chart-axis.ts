/** A naira: an axis has no finer steps. */
const STEP_KOBO_MIN = 100;
const STEPS = 3;
const ROUND = [1, 2, 2.5, 5, 10] as const;

const DAYS_LABELLED_MAX = 8;

/** The amounts that lines stand at: three round steps from nothing, the last one at or above `most` kobo. */
export function axisOf(most: number): number[] {
  const least = Math.max(most / STEPS, STEP_KOBO_MIN);
  const magnitude = 10 ** Math.floor(Math.log10(least));
  const step = magnitude * (ROUND.find((each) => each * magnitude >= least) ?? 10);
  return Array.from({ length: STEPS + 1 }, (_, i) => i * step);
}

const PEAK = 4;
const DAYS_TO_COMPARE = 3;

/**
 * Largest amount that the axis must show, in kobo. One that alone would flatten the others is left out: it is drawn as
 * cut off.
 */
export function reachOf(amounts: readonly number[]): number {
  const [most = 0, next = 0, ...rest] = amounts.filter((kobo) => kobo > 0).sort((a, b) => b - a);
  return rest.length + 2 > DAYS_TO_COMPARE && most > PEAK * next ? next : most;
}

/** The days named below a chart: the last, and others before it at equal distances; every other one is minor. */
export function labelledDays(count: number): { index: number; isMinor: boolean }[] {
  const step = Math.ceil(count / DAYS_LABELLED_MAX);
  const labelled = Math.ceil(count / step);
  return Array.from({ length: labelled }, (_, i) => ({
    index: count - 1 - i * step,
    isMinor: i % 2 === 1,
  })).reverse();
}
