import { describe, expect, it } from '@jest/globals';
import { axisOf, labelledDays } from './chart-axis.js';

describe('the axis of a chart', () => {
  it.each([
    [0, [0, 100, 200, 300]],
    [1, [0, 100, 200, 300]],
    [300, [0, 100, 200, 300]],
    [301, [0, 200, 400, 600]],
    [600, [0, 200, 400, 600]],
    [125_050, [0, 50_000, 100_000, 150_000]],
    [750_001, [0, 500_000, 1_000_000, 1_500_000]],
    [9_000_000_000_000, [0, 5_000_000_000_000, 10_000_000_000_000, 15_000_000_000_000]],
  ])('goes up to %i kobo or past it in round steps', (most, lines) => {
    expect(axisOf(most)).toEqual(lines);
  });

  it.each([
    [7, [0, 1, 2, 3, 4, 5, 6]],
    [30, [1, 5, 9, 13, 17, 21, 25, 29]],
    [90, [5, 17, 29, 41, 53, 65, 77, 89]],
  ])('names the last of %i days, and others at equal distances', (count, named) => {
    const days = labelledDays(count);
    expect(days.map(({ index }) => index)).toEqual(named);
    expect(days.at(-1)?.isMinor).toBe(false);
    expect(days.at(-2)?.isMinor).toBe(true);
  });
});
