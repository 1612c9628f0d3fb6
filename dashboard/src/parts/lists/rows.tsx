import { memo, type ReactNode } from 'react';
import { Loading } from '../loading/loading.js';
import { Skeleton } from '../loading/skeleton.js';

/** The kinds of lists, each with the names of its columns; those in `END` stand at the right edge. */
const COLUMNS = {
  wallet: ['Wallet', 'Spent of the limit', 'Expires on', 'Balance'],
  payment: ['Payment', 'Status', 'When', 'Amount'],
  flip: ['Payment', 'Under these limits', 'When', 'Amount'],
  entry: ['Entry', 'When', 'Amount', 'Balance'],
  endpoint: ['Endpoint', 'Delivered', 'Status'],
  delivery: ['Event', 'When', 'Status'],
  key: ['Key', 'Status', 'Last used', ''],
  payee: ['Payee', 'How', 'Since', ''],
  merchant: ['Merchant', 'Payments', 'Spent'],
  change: ['Change', 'When'],
} as const;

const END = new Set(['Amount', 'Balance', 'Payments', 'Spent', '']);

type Kind = keyof typeof COLUMNS;

/** A list under the names of its columns; on a narrow screen they have no room, and the rows speak for themselves. */
export function Rows({ kind, children }: { kind: Kind; children: ReactNode }) {
  return (
    <div className={`table ${kind}`}>
      <Head kind={kind} />
      <ul className="rows">{children}</ul>
    </div>
  );
}

/** A list that is being loaded; its rows are as tall as they will be. */
export const RowsLoading = memo(function RowsLoading({ kind, rows }: { kind: Kind; rows: number }) {
  const [, ...rest] = COLUMNS[kind];
  return (
    <Loading>
      <div className={`table ${kind}`}>
        <Head kind={kind} />
        <ul className="rows" aria-hidden="true">
          {Array.from({ length: rows }, (_, i) => (
            <li key={i}>
              <div className="row">
                <Skeleton h={12} w="60%" />
                {rest.map((name) => (
                  <Skeleton key={name} h={12} w={72} className={END.has(name) ? 'end' : ''} />
                ))}
              </div>
            </li>
          ))}
        </ul>
      </div>
    </Loading>
  );
});

function Head({ kind }: { kind: Kind }) {
  return (
    <div className="head" aria-hidden="true">
      {COLUMNS[kind].map((name) => (
        <span key={name} className={END.has(name) ? 'end' : ''}>
          {name}
        </span>
      ))}
    </div>
  );
}

/** All of a text that may be cut. */
const whole = (text: ReactNode) => (typeof text === 'string' && text !== '' ? text : undefined);

/** A name with what more there is to say of it: in one line where there is room, else in two. */
export function What({ name, more }: { name: ReactNode; more?: ReactNode }) {
  return (
    <div className="what">
      <span title={whole(name)}>{name}</span>
      <span className="more" title={whole(more)}>
        {more}
      </span>
    </div>
  );
}
