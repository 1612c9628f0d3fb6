import { naira } from '../money.js';
import { Money } from './money.js';
import { Skeleton } from './skeleton.js';

/** How much of a period's limit is used, as a bar and in numbers; undefined is still being loaded. */
export function Allowance({ spent, limit }: { spent: number | undefined; limit: number | undefined }) {
  if (spent === undefined || limit === undefined) return <Skeleton h={28.6} />;
  const share = limit > 0 ? Math.min(100, (spent / limit) * 100) : 0;
  return (
    <div className="allowance">
      <div
        className={share >= 90 ? 'bar bar-full' : 'bar'}
        role="progressbar"
        aria-label={`Spent: ${naira(spent)} of ${naira(limit)}`}
        aria-valuenow={share}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <div style={{ width: `${share}%` }} />
      </div>
      <div className="allowance-amounts small">
        <span>
          <Money kobo={spent} /> spent
        </span>
        <span>
          of <Money kobo={limit} />
        </span>
      </div>
    </div>
  );
}
