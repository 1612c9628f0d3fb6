import { useEffect, useState } from 'react';
import { dayAndTime, timeLeft } from '../../text/time.js';
import { Tag } from './tag.js';

const HOUR_MS = 3_600_000;
/** Below this the seconds are shown. */
const LAST_MS = 120_000;

/** The present, as often as its reader shows another text: each second at the end. */
export function useNow(until: string): number {
  const [now, setNow] = useState(() => Date.now());
  const left = Date.parse(until) - now;
  const every = left <= 0 ? null : left < LAST_MS ? 1_000 : 15_000;
  useEffect(() => {
    if (every === null) return;
    const timer = setInterval(() => setNow(Date.now()), every);
    return () => clearInterval(timer);
  }, [every]);
  return now;
}

/** Time left to decide an approval; the moment shows on hover. */
export function Countdown({ to }: { to: string }) {
  const left = Date.parse(to) - useNow(to);
  return (
    <Tag tone={left < HOUR_MS ? 'bad' : left < 4 * HOUR_MS ? 'wait' : 'calm'}>
      <time dateTime={to} title={dayAndTime(to)} className="tabular">
        {left <= 0 ? 'Expired' : `Expires in ${timeLeft(left)}`}
      </time>
    </Tag>
  );
}
