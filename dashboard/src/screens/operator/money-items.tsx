import { Button, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from 'react-router';
import { askBank, type InboundTransfer, OPERATOR, type Payout } from '../../api/operator.js';
import type { Page } from '../../api/types.js';
import { grouped, naira } from '../../money/money.js';
import { Moment } from '../../parts/display/moment.js';
import { Sums } from '../../parts/lists/sums.js';
import { Refused } from '../../parts/loading/failure.js';
import { Money } from '../../parts/money/money.js';
import { useBankNames } from '../../text/banks.js';
import { asSentence } from '../../text/words.js';
import { ActButton } from './act-button.js';
import { Item, Traits } from './parts.js';
import { bankSays, payoutTag, stepInWords, TRANSFERS } from './words.js';

export const findPath = (text: string) => `/operator/find?${new URLSearchParams({ text }).toString()}`;

const FOUND = (id: string) => (
  <Link to={findPath(id)}>
    <span className="mono">{id}</span>
  </Link>
);

interface Totalled<Status extends string> {
  readonly totals:
    readonly { readonly status: Status; readonly count: number; readonly amount: number }[] | null;
  readonly pagination: Page<unknown>['pagination'];
}

/** Totals of all pages of a list, those of one name as one. */
export function StatusTotals<Status extends string>({
  of: { totals, pagination },
  nameOf,
}: {
  of: Totalled<Status>;
  nameOf: (status: Status) => string;
}) {
  if (totals === null) {
    return (
      <Text size="sm" c="dimmed" className="sums below">
        There are 10,000 or more: too many to total.
      </Text>
    );
  }
  const groups = [...Map.groupBy(totals, ({ status }) => nameOf(status).toLowerCase())].map(
    ([name, those]) => ({
      name,
      count: those.reduce((sum, { count }) => sum + count, 0),
      amount: those.reduce((sum, { amount }) => sum + amount, 0),
    }),
  );
  const foreign = groups.reduce((left, { count }) => left - count, pagination.totalCount);
  return (
    <Sums
      isBelow
      parts={[
        ...groups.map(
          ({ name, count, amount }) =>
            [`${grouped(count)} ${name}`, <Money key="amount" kobo={amount} bold />] as const,
        ),
        ...(foreign > 0 ? [[`${grouped(foreign)} in another currency`, 'Not totalled'] as const] : []),
      ]}
    />
  );
}

/** Money that came in and that no wallet got. */
export function TransferItem({ transfer }: { transfer: InboundTransfer }) {
  const { id, status, currency, amount, reference, walletId, accountReference, narration } = transfer;
  const named = status === 'unmatched' ? null : walletId;
  const isNaira = currency === 'NGN';
  const isCreditable = isNaira && status !== 'conflict';
  return (
    <Item
      title={isNaira ? naira(amount) : `${currency} ${naira(amount).replace('₦', '')}`}
      tag={TRANSFERS[status]}
      acts={
        <>
          {isCreditable && <ActButton act="transfer.credit" subject={id} amount={amount} walletId={named} />}
          <ActButton act="transfer.return" subject={id} amount={isNaira ? amount : null} />
        </>
      }
    >
      <Traits
        of={[
          ['Bank’s reference', reference],
          ['Account reference', accountReference],
          ['Narration', narration],
          ['Named wallet', named && FOUND(named)],
          ['Problem', transfer.reason && asSentence(transfer.reason)],
          ['Received', <Moment key="at" at={transfer.receivedAt} />],
        ]}
      />
    </Item>
  );
}

/** A payout with what the bank did. */
export function PayoutItem({ payout }: { payout: Payout }) {
  const { reference, amount, status, isRefunded, walletId, steps } = payout;
  const client = useQueryClient();
  const bankName = useBankNames();
  const asking = useMutation({
    mutationFn: () => askBank(reference),
    onSettled: () => void client.invalidateQueries({ queryKey: [OPERATOR] }),
  });
  const isOpen = status === 'pending' || status === 'processing';
  return (
    <Item
      title={naira(amount)}
      tag={payoutTag(payout)}
      acts={
        <>
          <Button size="xs" variant="default" loading={asking.isPending} onClick={() => asking.mutate()}>
            Ask the bank
          </Button>
          {isOpen && <ActButton act="payout.outcome" subject={reference} amount={amount} />}
          {status === 'reversed' && !isRefunded && (
            <ActButton act="payout.refund" subject={reference} amount={amount} />
          )}
        </>
      }
    >
      <Traits
        of={[
          [
            'Reference',
            <span key="of" className="mono">
              {reference}
            </span>,
          ],
          ['Kind', payout.isWithdrawal ? 'Withdrawal by the owner' : 'Payment by an agent'],
          ['To', `${bankName(payout.bankCode)} ${payout.accountNumber}`],
          ['Wallet', FOUND(walletId)],
          ['Approved', <Moment key="at" at={payout.approvedAt} />],
          ['Last sent to the bank', payout.submittedAt ? <Moment at={payout.submittedAt} /> : 'Never'],
        ]}
      />
      <ol className="operator-steps" aria-label="The bank’s record">
        {steps.map(({ type, at, detail }) => (
          <li key={`${type} ${at}`}>
            <Moment at={at} /> · {stepInWords(type)}
            {reasonIn(detail) && `: ${reasonIn(detail)}`}
          </li>
        ))}
      </ol>
      <div role="status">
        {asking.data && (
          <Text size="sm">
            The bank says {bankSays(asking.data.kind)}.{asking.data.reason && ` ${asking.data.reason}`}
          </Text>
        )}
      </div>
      <Refused error={asking.error} />
    </Item>
  );
}

const reasonIn = (detail: object): string =>
  'reason' in detail && typeof detail.reason === 'string' ? detail.reason : '';
