import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { Box, Group, SimpleGrid, Text } from '@mantine/core';
import { memo } from 'react';
import type { Day } from '../api/types.js';
import { naira, shortNaira } from '../money.js';
import { chartDay } from '../time.js';

/** With its caption, the height of `.chart` in style.css, which a chart that is being loaded has too. */
const CHART_PX = 160;

/**
 * Spend and blocked attempts by day, side by side. Loaded when shown: charts are the heaviest part of all.
 * Drawn only when the numbers change: drawing takes longer than everything else on the screen.
 */
export default memo(function Charts({ days }: { days: Day[] }) {
  const data = days.map((day) => ({ ...day, day: chartDay(day.day) }));
  const spent = days.reduce((sum, day) => sum + day.spent, 0);
  const blocked = days.reduce((sum, day) => sum + day.blocked, 0);
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
      <Bars
        name="Spent"
        total={naira(spent)}
        data={data}
        of="spent"
        label="Spent"
        color="teal.7"
        format={naira}
        tick={shortNaira}
        emptyTop={100_000}
      />
      <Bars
        name="Blocked attempts"
        total={blocked.toLocaleString('en-US')}
        data={data}
        of="blocked"
        label="Blocked"
        color="red.7"
        format={String}
        tick={String}
        emptyTop={2}
      />
    </SimpleGrid>
  );
});

interface BarsProps {
  name: string;
  total: string;
  data: Day[];
  of: 'spent' | 'blocked';
  label: string;
  color: string;
  format: (value: number) => string;
  tick: (value: number) => string;
  /** Where the axis ends when there is nothing to draw. */
  emptyTop: number;
}

function Bars({ name, total, data, of, label, color, format, tick, emptyTop }: BarsProps) {
  const isEmpty = data.every((day) => day[of] === 0);
  return (
    <Box component="figure" m={0} className="chart">
      <Group component="figcaption" justify="space-between" wrap="nowrap" mb={6}>
        <Text size="sm" c="dimmed">
          {name}, last {data.length} days
        </Text>
        <Text size="sm" fw={600} className="money">
          {total}
        </Text>
      </Group>
      <div role="img" aria-label={`${name} by day over the last ${data.length} days, ${total} in all`}>
        <BarChart
          h={CHART_PX}
          data={data}
          dataKey="day"
          series={[{ name: of, label, color }]}
          valueFormatter={format}
          tickLine="none"
          maxBarWidth={18}
          xAxisProps={{ ticks: ticksOf(data), interval: 0 }}
          yAxisProps={{
            tickFormatter: tick,
            width: 52,
            tickCount: 3,
            allowDecimals: false,
            ...(isEmpty && { domain: [0, emptyTop] }),
          }}
          barChartProps={{ accessibilityLayer: false, margin: { top: 8, right: 20, bottom: 0, left: 0 } }}
        />
      </div>
    </Box>
  );
}

const TICKS_MAX = 4;

/** The days named below a chart: the last, and others before it at equal distances. */
function ticksOf(days: readonly { day: string }[]): string[] {
  const step = Math.ceil(days.length / TICKS_MAX);
  return days.filter((_, i) => (days.length - 1 - i) % step === 0).map(({ day }) => day);
}
