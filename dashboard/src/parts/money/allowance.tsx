import { naira } from '../../money/money.js';
import { Money } from './money.js';
import { Skeleton } from '../loading/skeleton.js';

interface Props {
  spent: number | undefined;
  /** By payments that wait for approval: it is neither spent nor left. */
  held?: number | undefined;
  limit: number | undefined;
}

/** How much of a period's limit is used, as a bar and in numbers; undefined is still being loaded. */
export function Allowance({ spent, held = 0, limit }: Props) {
  if (spent === undefined || limit === undefined) return <Skeleton h={28.6} />;
  const share = (amount: number) => (limit > 0 ? Math.min(100, (amount / limit) * 100) : 0);
  const used = share(spent + held);
  const heldInWords = held > 0 ? `, ${naira(held)} held` : '';
  return (
    <div className="allowance">
      <div
        className={used >= 90 ? 'bar bar-full' : 'bar'}
        role="progressbar"
        aria-label={`Spent: ${naira(spent)} of ${naira(limit)}${heldInWords}`}
        aria-valuenow={Math.round(used)}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <div style={{ width: `${share(spent)}%` }} />
        {held > 0 && <div className="bar-held" style={{ width: `${used - share(spent)}%` }} />}
      </div>
      <div className="allowance-amounts small">
        <span>
          <Money kobo={spent} /> spent
          {held > 0 && (
            <>
              , <Money kobo={held} /> held
            </>
          )}
        </span>
        <span>
          of <Money kobo={limit} />
        </span>
      </div>
    </div>
  );
}
