import { useQuery } from '@tanstack/react-query';
import { memo } from 'react';
import { withdrawalsQuery } from '../../api/withdrawals.js';
import type { LedgerEntry } from '../../api/types.js';
import { entryInWords, isWithdrawal } from '../../wallet/ledger-words.js';
import { type Decided, movedNothing, paymentNote, WITHDRAWAL_STATUSES } from '../../payments/status.js';
import { Moment } from '../display/moment.js';
import { Money } from '../money/money.js';
import { Cell, Row, What } from './rows.js';
import { Skeleton } from '../loading/skeleton.js';
import { PaymentTag, Tag } from '../display/tag.js';

interface Payment extends Decided {
  readonly amount: number;
  readonly merchantName: string;
  readonly reason: string | null;
  readonly createdAt: string;
}

/* Memoised: `to` is text, and equal answers keep their object. */

/** A payment, as a line that opens it. */
export const PaymentRow = memo(function PaymentRow({
  payment,
  to,
  wallet,
}: {
  payment: Payment;
  to: string;
  /** The wallet's name, where several are shown together. */
  wallet?: string | undefined;
}) {
  const note = paymentNote(payment);
  return (
    <Row to={to}>
      <What name={payment.merchantName} more={[note, wallet].filter(Boolean).join(' · ')} />
      <Cell className="status">
        <PaymentTag payment={payment} />
      </Cell>
      <Cell className="when small">
        <Moment at={payment.createdAt} />
      </Cell>
      <Cell className={movedNothing(payment) ? 'end amount muted' : 'end amount'}>
        <Money kobo={payment.amount} bold={!movedNothing(payment)} />
      </Cell>
    </Row>
  );
});

/** Money that came in, or that the owner took out or moved, beside the payments. */
export const EntryRow = memo(function EntryRow({
  entry,
  to,
  wallet,
}: {
  entry: LedgerEntry;
  to: string;
  wallet?: string | undefined;
}) {
  const isOut = entry.type === 'debit';
  const { name, more } = entryInWords(entry);
  return (
    <Row to={to}>
      <What name={name} more={[more, wallet].filter(Boolean).join(' · ')} />
      <Cell className="status">
        {!isOut ? (
          <Tag tone="good">Received</Tag>
        ) : isWithdrawal(entry) ? (
          <WithdrawalTag entry={entry} />
        ) : (
          <Tag tone="calm">Money out</Tag>
        )}
      </Cell>
      <Cell className="when small">
        <Moment at={entry.createdAt} />
      </Cell>
      <Cell className={isOut ? 'end amount' : 'end amount good'}>
        <Money kobo={entry.amount} bold signed={isOut ? '−' : '+'} />
      </Cell>
    </Row>
  );
});

function WithdrawalTag({ entry: { walletId, reference } }: { entry: LedgerEntry }) {
  const { data, isError } = useQuery(withdrawalsQuery(walletId));
  const found = data?.find(({ id }) => id === reference);
  if (found) return <PaymentTag payment={{ status: WITHDRAWAL_STATUSES[found.settlement.status] }} />;
  return data || isError ? <Tag tone="calm">Money out</Tag> : <Skeleton h={20} w={72} />;
}
