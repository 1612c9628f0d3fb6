import type { CollectionTally } from '../src/contexts/funding/funding.reconcile.js';
import type { HoldTally } from '../src/contexts/payments/approvals/holds.reconcile.js';
import type { PayoutTally } from '../src/contexts/settlement/settlement.reconcile.js';
import type { Tally, TimeRange } from '../src/platform/jobs/reconciliation.js';

/** What a run of the reconciliation found. */
export interface Report {
  readonly bank: string;
  readonly from: string;
  readonly to: string;
  readonly collections: CollectionTally;
  readonly payouts: PayoutTally;
  readonly holds: HoldTally;
}

const DAY_MS = 24 * 60 * 60_000;

/** The whole days from `from` to `to`, in Nigeria. Throws an Error that says what is missing or wrong with them. */
export function rangeOf(from: string | undefined, to: string | undefined): TimeRange {
  const missing = [from === undefined && '--from', to === undefined && '--to'].filter(
    (flag) => flag !== false,
  );
  if (missing.length > 0)
    throw new Error(`${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing`);
  const start = dayOf('--from', from);
  const end = new Date(dayOf('--to', to).getTime() + DAY_MS);
  if (end <= start) throw new Error('--to is before --from');
  return { from: start, to: end };
}

function dayOf(flag: string, text: string | undefined): Date {
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text ?? '') ? new Date(`${text}T00:00:00+01:00`) : new Date(NaN);
  const isDay =
    !Number.isNaN(day.getTime()) &&
    new Date(day.getTime() + DAY_MS / 24).toISOString().startsWith(text ?? '?');
  if (!isDay) throw new Error(`${flag} must be a day like 2026-11-01`);
  return day;
}

/** Whether the books agree and nothing is left for a person. What was credited now is settled with that. */
export function isClean({ collections, payouts, holds }: Report): boolean {
  const { held, conflicts, unknownToBank, accountsUnread, rowsUnread } = collections;
  const { contradictions, unanswered } = payouts;
  return (
    collections.difference === 0n &&
    payouts.difference === 0n &&
    holds.difference === 0n &&
    accountsUnread + rowsUnread === 0 &&
    [held, conflicts, unknownToBank, contradictions, unanswered, holds.contradictions].every(
      ({ count }) => count === 0,
    )
  );
}

/** The report as a table for people. */
export function reportAsTable(report: Report): string {
  const { bank, from, to, collections: c, payouts: p, holds: h } = report;
  const lines = [
    `Reconciliation with ${bank}, ${from} to ${to}`,
    '',
    heading('Collections (money in)'),
    line('listed by the bank', c.listed),
    line('matched', c.matched),
    line('credited now', c.creditedNow),
    line('held for the operator', c.held),
    line('in conflict', c.conflicts),
    line('credited, unknown to the bank', c.unknownToBank),
    difference('our books less the bank', c.difference),
    `  ${c.accounts.toLocaleString('en')} virtual accounts, ${c.accountsUnread} of them not read, ${c.rowsUnread} rows unreadable`,
    '',
    heading('Payouts (money out)'),
    line('asked of the bank', p.listed),
    line('paid', p.paid),
    line('refunded', p.refunded),
    line('sent back', p.returned),
    line('open', p.open),
    line('contradictions', p.contradictions),
    line('not answered', p.unanswered),
    difference('our books less the bank', p.difference),
    '',
    heading('Holds (payments that wait)'),
    line('held by wallets', h.listed),
    line('waiting for approval', h.pending),
    line('contradictions', h.contradictions),
    difference('held less waiting', h.difference),
    `  ${h.wallets.toLocaleString('en')} wallets, as they are now`,
    '',
  ];
  const findings = [...c.findings.list, ...p.findings.list, ...h.findings.list];
  if (findings.length > 0) {
    lines.push('To look at (reference, wallet):');
    for (const { what, reference, walletId } of findings) {
      const about = reference === walletId ? walletId : `${reference}  ${walletId}`;
      lines.push(`  ${about}  ${what}`);
    }
    lines.push('');
  }
  lines.push(
    isClean(report) ? 'The books agree.' : 'The books do not agree, or something is left to look at.',
  );
  return `${lines.join('\n')}\n`;
}

const LABEL = 32;
const COUNT = 12;
const AMOUNT = 26;

function heading(title: string): string {
  return `${title.padEnd(LABEL + 2)}${'count'.padStart(COUNT)}${'amount'.padStart(AMOUNT)}`;
}

function line(label: string, { count, kobo }: Tally): string {
  return `  ${label.padEnd(LABEL)}${count.toLocaleString('en').padStart(COUNT)}${naira(kobo).padStart(AMOUNT)}`;
}

function difference(label: string, kobo: bigint): string {
  return `  ${label.padEnd(LABEL)}${''.padStart(COUNT)}${naira(kobo).padStart(AMOUNT)}  (${kobo} kobo)`;
}

/** `₦1,234,567.80`, by integer arithmetic. */
function naira(kobo: bigint): string {
  const size = kobo < 0n ? -kobo : kobo;
  return `${kobo < 0n ? '-' : ''}₦${(size / 100n).toLocaleString('en')}.${String(size % 100n).padStart(2, '0')}`;
}
