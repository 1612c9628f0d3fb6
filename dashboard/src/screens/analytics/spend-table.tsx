import '../../styles/analytics.css';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Spend, SpendGroup, SpendRow } from '../../api/spend.js';
import { grouped } from '../../money/money.js';
import { Empty } from '../../parts/lists/empty.js';
import { Money } from '../../parts/money/money.js';
import { blockReasonInWords } from '../../payments/checks.js';
import { SPENT, STOPPED } from '../../payments/status.js';
import { pluralize } from '../../text/pluralize.js';
import { colorOf } from './spend-stack.js';

/** The filter of the list of payments that a group stands for. */
const FILTERS: Readonly<Record<SpendGroup, string>> = {
  merchant: 'merchant',
  wallet: 'wallet',
  key: 'key',
  purpose: 'purpose',
  run: 'run',
  category: 'category',
  costCentre: 'costCentre',
  blockReason: 'reason',
};

const NONE: Readonly<Partial<Record<SpendGroup, string>>> = {
  run: 'No run',
  purpose: 'No purpose',
  category: 'No category',
  costCentre: 'No cost centre',
};

/** Links a figure to the payments that it counts. */
type Opens = (status: string, count: number, figure: ReactNode) => ReactNode;

interface Props {
  spend: Spend;
  name: string;
  /** Days, as the address of the payments takes them. */
  from: string;
  to: string;
  /** Where the others are shown one by one; null: no more of them can be. */
  othersAt: string | null;
}

export function SpendTable({ spend: { by, rows, other, total }, name, from, to, othersAt }: Props) {
  if (rows.length === 0)
    return <Empty title="Nothing in this period">Choose another period to see more.</Empty>;
  const isBlocked = by === 'blockReason';
  const opensOthers: Opens = (_status, count, figure) =>
    othersAt === null || count === 0 ? figure : <Link to={othersAt}>{figure}</Link>;
  const opensOf =
    (group: Readonly<Record<string, string>>): Opens =>
    (status, count, figure) => {
      if (count === 0) return figure;
      const filters = new URLSearchParams({ ...group, status, from, to });
      return <Link to={`/payments?${filters.toString()}`}>{figure}</Link>;
    };
  return (
    <div style={{ overflowX: 'auto' }} tabIndex={0} role="region" aria-label={`By ${name.toLowerCase()}`}>
      {/* By roles: laid out as a grid on a phone, it would be no table in some browsers. */}
      <table className={isBlocked ? 'spend-table by-reason' : 'spend-table'} role="table">
        <thead role="rowgroup">
          <tr role="row">
            {[name, ...(isBlocked ? [] : ['Payments', 'Spent']), 'Blocked', 'Blocked amount'].map((each) => (
              <th key={each} scope="col" role="columnheader">
                {each}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row, i) => (
            <Line
              key={row.value ?? ''}
              name={nameOf(by, row)}
              color={colorOf(i)}
              of={row}
              isBlocked={isBlocked}
              opens={opensOf(row.value === null ? { without: by } : { [FILTERS[by]]: row.value })}
            />
          ))}
          {other && (
            <Line
              name={opensOthers(SPENT, 1, pluralize(other.groups, 'other'))}
              color={colorOf(null)}
              of={other}
              isBlocked={isBlocked}
              opens={opensOthers}
            />
          )}
        </tbody>
        <tfoot role="rowgroup">
          <Line name="Total" of={total} isBlocked={isBlocked} opens={opensOf({})} />
        </tfoot>
      </table>
    </div>
  );
}

interface LineProps {
  name: ReactNode;
  color?: string;
  of: Spend['total'];
  isBlocked: boolean;
  opens: Opens;
}

function Line({ name, color, of, isBlocked, opens }: LineProps) {
  const { payments, blocked } = of;
  const none = blocked === 0 ? ' none' : '';
  return (
    <tr role="row">
      <th scope="row" role="rowheader">
        {color && <span className="legend" style={{ background: color }} />}
        {name}
      </th>
      {!isBlocked && (
        <>
          <td role="cell" className="payments" data-unit={payments === 1 ? ' payment' : ' payments'}>
            {opens(SPENT, payments, grouped(payments))}
          </td>
          <td role="cell" className="spent">
            {opens(SPENT, payments, <Money kobo={of.spent} />)}
          </td>
        </>
      )}
      <td role="cell" className={`blocked${none}`} data-unit=" blocked">
        {opens(STOPPED, blocked, grouped(blocked))}
      </td>
      <td role="cell" className={`blocked-amount${none}`}>
        {opens(STOPPED, blocked, <Money kobo={of.blockedAmount} />)}
      </td>
    </tr>
  );
}

function nameOf(by: SpendGroup, { value, label }: SpendRow): string {
  if (value === null) return NONE[by] ?? 'Not noted';
  return by === 'blockReason' ? blockReasonInWords(value) : (label ?? value);
}
