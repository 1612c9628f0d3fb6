import { Button, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from 'react-router';
import { askBank, type InboundTransfer, OPERATOR, type Payout } from '../../api/operator.js';
import { naira } from '../../money/money.js';
import { Moment } from '../../parts/display/moment.js';
import { Refused } from '../../parts/loading/failure.js';
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
