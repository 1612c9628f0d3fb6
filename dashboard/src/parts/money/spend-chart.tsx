import { memo, type PointerEvent, useState } from 'react';
import type { Day } from '../../api/types.js';
import { axisOf, labelledDays } from '../../money/chart-axis.js';
import { naira, shortNaira } from '../../money/money.js';
import { chartDay } from '../../text/time.js';

interface Props {
  now: readonly Day[];
  before: readonly Day[];
}

/**
 * Spend by day, each day beside the one a period earlier. Bars are plain boxes that the styles size: nothing is
 * measured, and it is drawn again only when the numbers change.
 */
export const SpendChart = memo(
  function SpendChart({ now, before }: Props) {
    const [shown, setShown] = useState<number | null>(null);
    const days = now.map(({ day, spent }, i) => ({ day, spent, earlier: before[i]?.spent ?? 0 }));
    const axis = axisOf(Math.max(...days.flatMap(({ spent, earlier }) => [spent, earlier])));
    const top = axis.at(-1) ?? 1;
    const heightOf = (kobo: number) => ({ height: `${(kobo / top) * 100}%` });
    const total = naira(now.reduce((sum, { spent }) => sum + spent, 0));
    const label = `Spend by day over the last ${days.length} days, ${total} in all`;
    const show = ({ target }: PointerEvent) => {
      const day = (target as HTMLElement).closest<HTMLElement>('[data-day]')?.dataset.day;
      setShown(day === undefined ? null : Number(day));
    };
    return (
      <div role="img" className="chart" aria-label={label}>
        {axis.map((kobo) => (
          <div key={kobo} className="chart-line" style={{ bottom: `${(kobo / top) * 100}%` }}>
            <span>{shortNaira(kobo)}</span>
          </div>
        ))}
        <div className="chart-days" onPointerOver={show} onPointerLeave={() => setShown(null)}>
          {days.map(({ day, spent, earlier }, i) => (
            <div key={day} data-day={i}>
              <i className="before" {...(earlier > 0 && { style: heightOf(earlier) })} />
              <i {...(spent > 0 && { style: heightOf(spent) })} />
            </div>
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
      </div>
    );
  },
  (one, other) => JSON.stringify(one) === JSON.stringify(other),
);

interface TipProps {
  day: string;
  spent: number;
  earlier: number;
  index: number;
  count: number;
}

/** What a day's bars say, on the side that has room. */
function Tip({ day, spent, earlier, index, count }: TipProps) {
  const isLeft = index < count / 2;
  const style = isLeft
    ? { left: `${((index + 1) / count) * 100}%` }
    : { right: `${(1 - index / count) * 100}%` };
  return (
    <div className="chart-tip" style={style}>
      <b>{chartDay(day)}</b>
      <span>
        <span className="legend spend" />
        Spent
      </span>
      <span className="tabular">{naira(spent)}</span>
      <span>
        <span className="legend spend-before" />A period earlier
      </span>
      <span className="tabular">{naira(earlier)}</span>
    </div>
  );
}
