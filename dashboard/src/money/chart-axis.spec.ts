import { describe, expect, it } from '@jest/globals';
import { axisOf, labelledDays, reachOf } from './chart-axis.js';

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
    [[], 0],
    [[500], 500],
    [[500, 10, 10], 500],
    [[10, 400, 100, 0, 20], 400],
    [[10, 401, 100, 0, 20], 100],
    [[900, 900, 100, 20], 900],
  ])('reaches the largest of %j, unless it alone is above four times the next', (amounts, reach) => {
    expect(reachOf(amounts)).toBe(reach);
  });

  it.each([
    [7, [0, 1, 2, 3, 4, 5, 6]],
    [28, [3, 7, 11, 15, 19, 23, 27]],
    [91, [6, 18, 30, 42, 54, 66, 78, 90]],
  ])('names the last of %i days, and others at equal distances', (count, named) => {
    const days = labelledDays(count);
    expect(days.map(({ index }) => index)).toEqual(named);
    expect(days.at(-1)?.isMinor).toBe(false);
    expect(days.at(-2)?.isMinor).toBe(true);
  });
});
