import '@mantine/core/styles/ColorSwatch.css';
import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { useMediaQuery } from '@mantine/hooks';
import { memo } from 'react';
import type { Day } from '../api/types.js';
import { naira, shortNaira } from '../money.js';
import { chartDay } from '../time.js';

/** The height of `.chart` in the styles, which a chart that is being loaded has too. */
const CHART_PX = 216;
const TICKS_MAX = { narrow: 4, wide: 8 };

/**
 * Spend by day, each day beside the one a period earlier. Loaded when shown: the chart is the heaviest part of all.
 * Drawn only when the numbers change: drawing takes longer than everything else on the screen.
 */
export default memo(
  function SpendChart({ now, before }: { now: Day[]; before: Day[] }) {
    const isNarrow = useMediaQuery('(max-width: 48em)');
    const data = now.map(({ day, spent }, i) => ({
      day: chartDay(day),
      spent,
      before: before[i]?.spent ?? 0,
    }));
    const total = naira(now.reduce((sum, { spent }) => sum + spent, 0));
    return (
      <div
        role="img"
        className="chart"
        aria-label={`Spend by day over the last ${data.length} days, ${total} in all`}
      >
        <BarChart
          h={CHART_PX}
          data={data}
          dataKey="day"
          series={[
            { name: 'before', label: 'A period earlier', color: 'var(--spend-before)' },
            { name: 'spent', label: 'Spent', color: 'var(--spend)' },
          ]}
          valueFormatter={naira}
          tickLine="none"
          maxBarWidth={14}
          xAxisProps={{ ticks: ticksOf(data, isNarrow ? TICKS_MAX.narrow : TICKS_MAX.wide), interval: 0 }}
          yAxisProps={{ tickFormatter: shortNaira, width: 56, tickCount: 4, allowDecimals: false }}
          barChartProps={{
            accessibilityLayer: false,
            barGap: 1,
            margin: { top: 8, right: 20, bottom: 0, left: 0 },
          }}
        />
      </div>
    );
  },
  (one, other) => JSON.stringify(one) === JSON.stringify(other),
);

/** The days named below the chart: the last, and others before it at equal distances. */
function ticksOf(days: readonly { day: string }[], max: number): string[] {
  const step = Math.ceil(days.length / max);
  return days.filter((_, i) => (days.length - 1 - i) % step === 0).map(({ day }) => day);
}
