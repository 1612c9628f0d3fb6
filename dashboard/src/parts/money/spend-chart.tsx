import { VisuallyHidden } from '@mantine/core';
import { type FocusEvent, memo, type PointerEvent, useState } from 'react';
import { Link } from 'react-router';
import type { Day } from '../../api/types.js';
import { axisOf, labelledDays, reachOf } from '../../money/chart-axis.js';
import { naira, shortNaira } from '../../money/money.js';
import { pluralize } from '../../text/pluralize.js';
import { chartDay, chartWeekday } from '../../text/time.js';
import { walkDays } from './walk-days.js';

interface Props {
  now: readonly Day[];
  before: readonly Day[];
  walletId: string | null;
}

interface Column extends Day {
  /** Same weekday of the period before. */
  readonly earlier: Day | undefined;
}

/**
 * Spend by day as bars, over a line of the period before; each opens the payments of its day. Plain boxes that the
 * styles size: nothing is measured, and it is drawn again only when the numbers change.
 */
export const SpendChart = memo(
  function SpendChart({ now, before, walletId }: Props) {
    const [shown, setShown] = useState<number | null>(null);
    const [reached, setReached] = useState(now.length - 1);
    const days = now.map((day, i): Column => ({ ...day, earlier: before[i] }));
    const amounts = [now, before].flatMap((each) => each.map(({ spent }) => spent));
    const axis = axisOf(reachOf(amounts));
    const top = axis.at(-1) ?? 1;
    const share = (kobo: number) => (Math.min(kobo, top) / top) * 100;
    const total = naira(now.reduce((sum, { spent }) => sum + spent, 0));
    const indexOf = ({ target }: PointerEvent | FocusEvent) => {
      const day = (target as HTMLElement).closest<HTMLElement>('[data-day]')?.dataset.day;
      return day === undefined ? null : Number(day);
    };
    const onFocus = (event: FocusEvent) => {
      const index = indexOf(event);
      setShown(index);
      if (index !== null) setReached(index);
    };
    return (
      <div
        role="group"
        className="chart"
        aria-label={`Spend by day over the last ${days.length} days, ${total} in all`}
      >
        {axis.map((kobo) => (
          <div key={kobo} className="chart-line" style={{ bottom: `${share(kobo)}%` }}>
            <span>{shortNaira(kobo)}</span>
          </div>
        ))}
        <Before days={before} share={share} />
        <div
          className="chart-days"
          onPointerOver={(event) => setShown(indexOf(event))}
          onPointerLeave={() => setShown(null)}
          onFocus={onFocus}
          onBlur={() => setShown(null)}
          onKeyDown={walkDays}
        >
          {days.map(({ day, spent, blocked }, i) => (
            <Link
              key={day}
              to={paymentsOf(day, walletId)}
              data-day={i}
              tabIndex={i === reached ? 0 : -1}
              aria-label={`${chartWeekday(day)}: ${naira(spent)} spent, ${pluralize(blocked, 'payment')} blocked`}
            >
              {spent > 0 && (
                <i className={spent > top ? 'peak' : ''} style={{ height: `${share(spent)}%` }} />
              )}
              {spent > top && (
                <span className="chart-peak" aria-hidden="true">
                  {shortNaira(spent)}
                </span>
              )}
              {blocked > 0 && <b />}
            </Link>
          ))}
        </div>
        {labelledDays(days.length).map(({ index, isMinor }) => (
          <span
            key={index}
            className={isMinor ? 'chart-tick minor' : 'chart-tick'}
            style={{ left: `${((index + 0.5) / days.length) * 100}%` }}
          >
            {chartDay(days[index]?.day ?? '')}
          </span>
        ))}
        {shown !== null && days[shown] && <Tip {...days[shown]} index={shown} count={days.length} />}
        <AsTable days={days} />
      </div>
    );
  },
  (one, other) => JSON.stringify(one) === JSON.stringify(other),
);

function paymentsOf(day: string, walletId: string | null): string {
  const filter = { from: day, to: day, ...(walletId && { wallet: walletId }) };
  return `/payments?${new URLSearchParams(filter).toString()}`;
}

function Before({ days, share }: { days: readonly Day[]; share: (kobo: number) => number }) {
  const points = days.map(({ spent }, i) => `${i + 0.5},${100 - share(spent)}`).join(' ');
  return (
    <svg
      className="chart-before"
      viewBox={`0 0 ${days.length} 100`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <polyline points={points} vectorEffect="non-scaling-stroke" />
    </svg>
  );
}

function AsTable({ days }: { days: readonly Column[] }) {
  return (
    <VisuallyHidden>
      <table>
        <caption>Spend by day</caption>
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col">Spent</th>
            <th scope="col">{days.length} days before</th>
            <th scope="col">Blocked payments</th>
          </tr>
        </thead>
        <tbody>
          {days.map(({ day, spent, blocked, earlier }) => (
            <tr key={day}>
              <th scope="row">{chartWeekday(day)}</th>
              <td>{naira(spent)}</td>
              <td>{naira(earlier?.spent ?? 0)}</td>
              <td>{blocked}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </VisuallyHidden>
  );
}

/** Names a day's bar and line in figures, on the side that has room. */
function Tip({ day, spent, blocked, earlier, index, count }: Column & { index: number; count: number }) {
  const isLeft = index < count / 2;
  const style = isLeft
    ? { left: `${((index + 1) / count) * 100}%` }
    : { right: `${(1 - index / count) * 100}%` };
  return (
    <div className="chart-tip" style={style} aria-hidden="true">
      <span>
        <span className="legend spend" />
        <b>{chartWeekday(day)}</b>
      </span>
      <b className="tabular">{naira(spent)}</b>
      {earlier && (
        <>
          <span>
            <span className="legend spend-before" />
            {chartWeekday(earlier.day)}
          </span>
          <span className="tabular">{naira(earlier.spent)}</span>
        </>
      )}
      {blocked > 0 && (
        <>
          <span>
            <span className="legend blocked" />
            Blocked
          </span>
          <span className="tabular">{pluralize(blocked, 'payment')}</span>
        </>
      )}
    </div>
  );
}
