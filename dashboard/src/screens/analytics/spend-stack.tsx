import { Link } from 'react-router';
import type { Spend } from '../../api/spend.js';
import { axisOf, labelledDays, reachOf } from '../../money/chart-axis.js';
import { naira, shortNaira } from '../../money/money.js';
import { walkDays } from '../../parts/money/walk-days.js';
import { SPENT, STOPPED } from '../../payments/status.js';
import { chartDay, chartWeekday } from '../../text/time.js';

/** Hues far apart, readable on light and dark. */
const HUES = [260, 150, 40, 320, 200, 90, 10, 290] as const;

/** Null: the others. */
export function colorOf(index: number | null): string {
  return index === null ? 'oklch(0.62 0.01 260)' : `oklch(0.62 0.13 ${HUES[index % HUES.length]})`;
}

/** A bar a day, stacked of the groups in the table below, which says the same in text; each opens its payments. */
export function SpendStack({ spend: { by, days, rows, other, total } }: { spend: Spend }) {
  const series = [
    ...rows.map(({ byDay }, i) => ({ byDay, color: colorOf(i) })),
    ...(other ? [{ byDay: other.byDay, color: colorOf(null) }] : []),
  ];
  const sums = days.map((_, day) => series.reduce((sum, { byDay }) => sum + (byDay[day] ?? 0), 0));
  const axis = axisOf(reachOf(sums));
  const top = axis.at(-1) ?? 1;
  const isBlocked = by === 'blockReason';
  const word = isBlocked ? 'Blocked' : 'Spent';
  const amount = naira(isBlocked ? total.blockedAmount : total.spent);
  const opens = (day: string) => {
    const filter = { status: isBlocked ? STOPPED : SPENT, from: day, to: day };
    return `/payments?${new URLSearchParams(filter).toString()}`;
  };
  return (
    <div
      role="group"
      className="chart"
      aria-label={`${word} by day over ${days.length} days, ${amount} in all`}
      style={{ marginTop: 28, marginBottom: 40 }}
    >
      {axis.map((kobo) => (
        <div key={kobo} className="chart-line" style={{ bottom: `${(kobo / top) * 100}%` }}>
          <span>{shortNaira(kobo)}</span>
        </div>
      ))}
      <div className="chart-days" onKeyDown={walkDays}>
        {days.map((day, i) => {
          const sum = sums[i] ?? 0;
          const says = `${chartWeekday(day)}: ${naira(sum)}`;
          return (
            <Link
              key={day}
              to={opens(day)}
              data-day={i}
              tabIndex={i === days.length - 1 ? 0 : -1}
              title={says}
              aria-label={says}
            >
              {sum > 0 && (
                <div
                  className={sum > top ? 'stack-bar peak' : 'stack-bar'}
                  style={{ height: `${(Math.min(sum, top) / top) * 100}%` }}
                >
                  {series.map(({ byDay, color }, each) => (
                    <div key={each} style={{ flex: `${byDay[i] ?? 0} 0 0`, background: color }} />
                  ))}
                </div>
              )}
              {sum > top && (
                <span className="chart-peak" aria-hidden="true">
                  {shortNaira(sum)}
                </span>
              )}
            </Link>
          );
        })}
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
