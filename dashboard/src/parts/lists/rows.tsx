import { VisuallyHidden } from '@mantine/core';
import { Children, createContext, memo, type ReactNode, use, useId, useMemo } from 'react';
import { Link, type LinkProps } from 'react-router';
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
  act: ['Action', 'When'],
  case: ['Case', 'Owner', 'Age'],
  'case closed': ['Case', 'Owner', 'Closed'],
} as const;

const END = new Set(['Amount', 'Balance', 'Payments', 'Spent', 'Age', 'Closed', '']);

type Kind = keyof typeof COLUMNS;

/**
 * A table of rows under the names of its columns. On a narrow screen these have no room, but stay for those who hear
 * them. By roles, as `<table>` would lose its own to `display: grid` in some browsers.
 */
export function Rows({ kind, label, children }: { kind: Kind; label: string; children: ReactNode }) {
  return (
    <div className={`table ${kind}`} role="table" aria-label={label}>
      <Head kind={kind} />
      <div className="rows" role="rowgroup">
        {children}
      </div>
    </div>
  );
}

/** The link that covers the row it stands in. */
const Opens = createContext<{ readonly to: LinkProps['to']; readonly rowId: string } | null>(null);

/** A row of cells. With `to`, the link in its first cell covers it, and is named by all of it. */
export function Row({ to, children }: { to?: LinkProps['to']; children: ReactNode }) {
  const rowId = useId();
  const opens = useMemo(() => (to === undefined ? null : { to, rowId }), [to, rowId]);
  const [first, ...rest] = Children.toArray(children);
  return (
    <div className={opens ? 'row opens' : 'row'} role="row">
      <Opens value={opens}>{first}</Opens>
      <div className="rest" role="presentation" id={`${rowId}-rest`}>
        {rest}
      </div>
    </div>
  );
}

export function Cell(props: { className?: string; title?: string; children: ReactNode }) {
  return <div role="cell" {...props} />;
}

/** A line over all columns, as of a day. */
export function Line({ kind, children }: { kind: Kind; children: ReactNode }) {
  return (
    <div className="day" role="row">
      <div role="cell" aria-colspan={COLUMNS[kind].length}>
        {children}
      </div>
    </div>
  );
}

/** A list that is being loaded; its rows are as tall as they will be. */
export const RowsLoading = memo(function RowsLoading({ kind, rows }: { kind: Kind; rows: number }) {
  const [, ...rest] = COLUMNS[kind];
  return (
    <Loading>
      <div className={`table ${kind}`} aria-hidden="true">
        <Head kind={kind} />
        <div className="rows">
          {Array.from({ length: rows }, (_, i) => (
            <div key={i} className="row">
              <Skeleton h={12} w="60%" />
              {rest.map((name) => (
                <Skeleton key={name} h={12} w={72} className={END.has(name) ? 'end' : ''} />
              ))}
            </div>
          ))}
        </div>
      </div>
    </Loading>
  );
});

function Head({ kind }: { kind: Kind }) {
  return (
    <div role="rowgroup" className="heads">
      <div className="head" role="row">
        {COLUMNS[kind].map((name) => (
          <div key={name} role="columnheader" className={END.has(name) ? 'end' : ''}>
            {name || <VisuallyHidden>Actions</VisuallyHidden>}
          </div>
        ))}
      </div>
    </div>
  );
}

/** All of a text that may be cut. */
const whole = (text: ReactNode) => (typeof text === 'string' && text !== '' ? text : undefined);

/** The link of a row that has one. */
export function RowLink({ children }: { children: ReactNode }) {
  const opens = use(Opens);
  if (!opens) return children;
  const { to, rowId } = opens;
  // A drawer over the list, or another screen.
  const stays = typeof to === 'string' && to.startsWith('?');
  return (
    <Link
      to={to}
      className="row-link"
      id={`${rowId}-link`}
      aria-labelledby={`${rowId}-link ${rowId}-more ${rowId}-rest`}
      preventScrollReset={stays}
    >
      {children}
    </Link>
  );
}

/** Text beside the link in the first cell. */
export function RowMore(props: { className?: string; title?: string | undefined; children: ReactNode }) {
  const opens = use(Opens);
  return <span id={opens ? `${opens.rowId}-more` : undefined} {...props} />;
}

/** The first cell: a name with what more there is to say of it, in one line where there is room, else in two. */
export function What({ name, more }: { name: ReactNode; more?: ReactNode }) {
  return (
    <div className="what" role="cell">
      <span title={whole(name)}>
        <RowLink>{name}</RowLink>
      </span>
      <RowMore className="more" title={whole(more)}>
        {more}
      </RowMore>
    </div>
  );
}
