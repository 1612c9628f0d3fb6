import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { hasEndpointQuery } from '../../api/webhooks.js';
import type { TotalStats, Wallet } from '../../api/types.js';
import { FIRST_WALLETS, walletsQuery } from '../../api/wallet-list.js';
import { useSandbox } from '../../parts/display/sandbox.js';
import { useUser } from '../../session/session.js';
import { recentQuery } from './recent.js';

export interface Step {
  readonly name: string;
  readonly why: string;
  readonly to: string;
  readonly isDone: boolean;
  /** It can be done from code as well: this wallet's snippets are offered beside it. */
  readonly inCode?: Wallet;
}

/** More than these, and the guide ends. */
const PAYMENTS_OF_BEGINNERS = 5;

/** Kept in the browser. */
const markOf = (userId: string) => `start-over:${userId}`;

/** Remaining set-up steps; null while unknown, finished or dismissed. */
export function useStart(totals: UseQueryResult<TotalStats>) {
  const user = useUser();
  const [isOver, setIsOver] = useState(() => localStorage.getItem(markOf(user.id)) !== null);
  const recent = useQuery(recentQuery);
  const newest = useQuery({ ...walletsQuery(FIRST_WALLETS), enabled: !isOver });
  const hooks = useQuery({ ...hasEndpointQuery, enabled: !isOver });
  const sandbox = useSandbox();
  const finish = () => {
    localStorage.setItem(markOf(user.id), '1');
    setIsOver(true);
  };
  if (isOver || totals.data?.wallets === 0) return { steps: null, isPending: false, finish };
  const hasFailed = [totals, newest, recent, hooks].some(({ errorUpdateCount }) => errorUpdateCount > 0);
  const [first] = newest.data?.data ?? [];
  if (!totals.data || !first || !recent.data || hooks.data === undefined || sandbox === undefined) {
    return { steps: null, isPending: !hasFailed, finish };
  }
  const { payments, entries } = recent.data;
  const steps = stepsOf(first.wallet, sandbox, {
    wasFunded: totals.data.balance > 0 || entries.some(({ type }) => type === 'topup'),
    hasPaid: payments.length > 0,
    hasHook: hooks.data,
  });
  const isKnown = payments.length > PAYMENTS_OF_BEGINNERS;
  return { steps: isKnown || steps.every(({ isDone }) => isDone) ? null : steps, isPending: false, finish };
}

interface Known {
  readonly wasFunded: boolean;
  readonly hasPaid: boolean;
  readonly hasHook: boolean;
}

function stepsOf(first: Wallet, isSandboxed: boolean, { wasFunded, hasPaid, hasHook }: Known): Step[] {
  const wallet = `/wallets/${first.id}`;
  return [
    {
      name: 'Create a wallet and its API key',
      why: 'The key is what your agent pays with.',
      to: `${wallet}?tab=keys`,
      isDone: true,
    },
    {
      name: 'Fund the wallet',
      why: isSandboxed ? 'Simulate a transfer to its account.' : 'Transfer naira to its account.',
      to: `${wallet}?fund=open`,
      isDone: wasFunded,
    },
    {
      name: 'Make a test payment',
      why: 'See what an approved and a blocked payment look like.',
      to: isSandboxed ? `${wallet}?test=open` : `${wallet}?tab=keys`,
      isDone: hasPaid,
      inCode: first,
    },
    {
      name: 'Add a webhook',
      why: 'Your server is told about each payment and all money that comes in.',
      to: '/webhooks',
      isDone: hasHook,
    },
  ];
}
