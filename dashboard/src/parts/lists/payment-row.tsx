import { useQuery } from '@tanstack/react-query';
import { memo } from 'react';
import { withdrawalsQuery } from '../../api/withdrawals.js';
import type { LedgerEntry } from '../../api/types.js';
import { entryInWords, isWithdrawal } from '../../wallet/ledger-words.js';
import { nameOfKey } from '../../wallet/key-words.js';
import { type Decided, movedNothing, paymentNote, WITHDRAWAL_STATUSES } from '../../payments/status.js';
import { KeyIcon } from '../display/icons.js';
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
  readonly key?: { readonly name: string | null; readonly prefix: string };
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
  const { key } = payment;
  const said = [paymentNote(payment), wallet].filter(Boolean).join(' · ');
  return (
    <Row to={to}>
      <What
        name={payment.merchantName}
        more={
          key ? (
            <>
              {said && (
                <span className="cut" title={said}>
                  {said}
                </span>
              )}
              <PaidBy apiKey={key} />
            </>
          ) : (
            said
          )
        }
      />
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

/** The key that asked, which is never cut away by what stands beside it. */
function PaidBy({ apiKey }: { apiKey: NonNullable<Payment['key']> }) {
  const name = nameOfKey(apiKey);
  return (
    <span className="by-key" title={`Key: ${name} (${apiKey.prefix}…)`}>
      <KeyIcon size={12} />
      <span className="cut">{name}</span>
      <span className="mono">{apiKey.prefix}…</span>
    </span>
  );
}

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
