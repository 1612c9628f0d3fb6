import type { Spend } from '../../api/spend.js';
import { axisOf, labelledDays } from '../../money/chart-axis.js';
import { naira, shortNaira } from '../../money/money.js';
import { chartDay } from '../../text/time.js';

/** Hues far apart, readable on light and dark. */
const HUES = [260, 150, 40, 320, 200, 90, 10, 290] as const;

/** Null: the others. */
export function colorOf(index: number | null): string {
  return index === null ? 'oklch(0.62 0.01 260)' : `oklch(0.62 0.13 ${HUES[index % HUES.length]})`;
}

/** A bar a day, stacked of the groups in the table below, which says the same in text. */
export function SpendStack({ spend: { by, days, rows, other, total } }: { spend: Spend }) {
  const series = [
    ...rows.map(({ byDay }, i) => ({ byDay, color: colorOf(i) })),
    ...(other ? [{ byDay: other.byDay, color: colorOf(null) }] : []),
  ];
  const sums = days.map((_, day) => series.reduce((sum, { byDay }) => sum + (byDay[day] ?? 0), 0));
  const axis = axisOf(Math.max(0, ...sums));
  const top = axis.at(-1) ?? 1;
  const isBlocked = by === 'blockReason';
  const amount = naira(isBlocked ? total.blockedAmount : total.spent);
  const label = `${isBlocked ? 'Blocked' : 'Spent'} by day over ${days.length} days, ${amount} in all`;
  return (
    <div role="img" className="chart" aria-label={label} style={{ marginTop: 24, marginBottom: 36 }}>
      {axis.map((kobo) => (
        <div key={kobo} className="chart-line" style={{ bottom: `${(kobo / top) * 100}%` }}>
          <span>{shortNaira(kobo)}</span>
        </div>
      ))}
      <div className="chart-days">
        {days.map((day, i) => (
          <div key={day} title={`${chartDay(day)}: ${naira(sums[i] ?? 0)}`}>
            <div
              style={{
                display: 'flex',
                flexDirection: 'column-reverse',
                width: '70%',
                maxWidth: 28,
                height: `${((sums[i] ?? 0) / top) * 100}%`,
              }}
            >
              {series.map(({ byDay, color }, each) => (
                <div key={each} style={{ flex: `${byDay[i] ?? 0} 0 0`, background: color }} />
              ))}
            </div>
          </div>
        ))}
      </div>
      {labelledDays(days.length).map(({ index, isMinor }) => (
        <span
          key={index}
          className={isMinor ? 'chart-tick minor' : 'chart-tick'}
          style={{ left: `${((index + 0.5) / days.length) * 100}%` }}
        >
          {chartDay(days[index] ?? '')}
        </span>
      ))}
    </div>
  );
}
