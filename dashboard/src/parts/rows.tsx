import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { Loading } from './loading.js';

/** The kinds of rows, each with the names of its columns; style.css says how wide they are. */
const COLUMNS = {
  wallet: ['Wallet', 'Allowance used', 'Until', 'Balance'],
  transaction: ['Merchant', 'Decision', 'When', 'Amount'],
  entry: ['Change', 'When', 'Amount', 'Balance'],
  endpoint: ['Address', 'Status'],
  delivery: ['Event', 'When', 'Status'],
} as const;

type Kind = keyof typeof COLUMNS;

/** A list under the names of its columns; on a narrow screen they have no room, and the rows speak for themselves. */
export function Rows({ kind, children }: { kind: Kind; children: ReactNode }) {
  return (
    <>
      <Head kind={kind} />
      <ul className="rows">{children}</ul>
    </>
  );
}

/** A list that is being loaded; its rows are as tall as they will be. */
export function RowsLoading({ kind, rows }: { kind: Kind; rows: number }) {
  return (
    <Loading>
      <Head kind={kind} />
      <ul className="rows" aria-hidden="true">
        {Array.from({ length: rows }, (_, i) => (
          <li key={i} className={`row-loading ${kind}`}>
            <Skeleton h={12} w="40%" />
            <Skeleton h={12} w={88} />
          </li>
        ))}
      </ul>
    </Loading>
  );
}

function Head({ kind }: { kind: Kind }) {
  return (
    <div className={`row ${kind} head`} aria-hidden="true">
      {COLUMNS[kind].map((name) => (
        <span key={name}>{name}</span>
      ))}
    </div>
  );
}
