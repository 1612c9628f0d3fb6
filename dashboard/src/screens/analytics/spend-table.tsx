import type { CSSProperties, ReactNode } from 'react';
import { Link } from 'react-router';
import type { Spend, SpendGroup, SpendRow } from '../../api/spend.js';
import { grouped } from '../../money/money.js';
import { Empty } from '../../parts/lists/empty.js';
import { Money } from '../../parts/money/money.js';
import { blockReasonInWords } from '../../payments/checks.js';
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

const CELL: CSSProperties = { padding: '9px 16px', borderTop: '1px solid var(--line)', fontSize: 14 };
const END: CSSProperties = { ...CELL, textAlign: 'right', whiteSpace: 'nowrap' };

interface Props {
  spend: Spend;
  name: string;
  /** Days, as the address of the payments takes them. */
  from: string;
  to: string;
}

export function SpendTable({ spend: { by, rows, other, total }, name, from, to }: Props) {
  if (rows.length === 0)
    return <Empty title="Nothing in this period">Choose another period to see more.</Empty>;
  const isBlocked = by === 'blockReason';
  const opens = ({ value }: SpendRow, status: string, figure: ReactNode) => {
    if (value === null) return figure;
    const filters = new URLSearchParams({ [FILTERS[by]]: value, status, from, to });
    return <Link to={`/payments?${filters.toString()}`}>{figure}</Link>;
  };
  return (
    <div style={{ overflowX: 'auto' }} tabIndex={0} role="region" aria-label={`By ${name.toLowerCase()}`}>
      <table style={{ width: '100%', borderCollapse: 'collapse' }}>
        <thead>
          <tr>
            <th scope="col" style={{ ...CELL, textAlign: 'left' }}>
              {name}
            </th>
            {!isBlocked && (
              <>
                <th scope="col" style={END}>
                  Payments
                </th>
                <th scope="col" style={END}>
                  Spent
                </th>
              </>
            )}
            <th scope="col" style={END}>
              Blocked
            </th>
            <th scope="col" style={END}>
              Blocked amount
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={row.value ?? ''}>
              <th scope="row" style={{ ...CELL, textAlign: 'left', fontWeight: 400 }} className="wrap">
                <span className="legend" style={{ background: colorOf(i) }} />
                {nameOf(by, row)}
              </th>
              {!isBlocked && (
                <>
                  <td style={END}>{grouped(row.payments)}</td>
                  <td style={END}>{opens(row, 'paid', <Money kobo={row.spent} />)}</td>
                </>
              )}
              <td style={END}>{row.blocked > 0 ? opens(row, 'blocked', grouped(row.blocked)) : '0'}</td>
              <td style={END}>
                <Money kobo={row.blockedAmount} />
              </td>
            </tr>
          ))}
          {other && (
            <Sum
              name={`${grouped(other.groups)} others`}
              of={other}
              isBlocked={isBlocked}
              color={colorOf(null)}
            />
          )}
        </tbody>
        <tfoot>
          <Sum name="Total" of={total} isBlocked={isBlocked} />
        </tfoot>
      </table>
    </div>
  );
}

interface SumProps {
  name: string;
  of: Spend['total'];
  isBlocked: boolean;
  color?: string;
}

function Sum({ name, of, isBlocked, color }: SumProps) {
  const fontWeight = color ? 400 : 600;
  return (
    <tr>
      <th scope="row" style={{ ...CELL, textAlign: 'left', fontWeight }}>
        {color && <span className="legend" style={{ background: color }} />}
        {name}
      </th>
      {!isBlocked && (
        <>
          <td style={{ ...END, fontWeight }}>{grouped(of.payments)}</td>
          <td style={{ ...END, fontWeight }}>
            <Money kobo={of.spent} />
          </td>
        </>
      )}
      <td style={{ ...END, fontWeight }}>{grouped(of.blocked)}</td>
      <td style={{ ...END, fontWeight }}>
        <Money kobo={of.blockedAmount} />
      </td>
    </tr>
  );
}

function nameOf(by: SpendGroup, { value, label }: SpendRow): string {
  if (value === null) return NONE[by] ?? 'Not noted';
  return by === 'blockReason' ? blockReasonInWords(value) : (label ?? value);
}
