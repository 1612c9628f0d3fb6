import { Group, Stack, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { memo } from 'react';
import { Link } from 'react-router';
import { ledgerOf, transaction as readTransaction, wallet as readWallet } from '../../api/calls.js';
import { queryKeys } from '../../api/query-keys.js';
import { ApiError } from '../../api/request.js';
import type { LedgerEntry, TransactionDetails, Wallet } from '../../api/types.js';
import { useBankNames } from '../../text/banks.js';
import { Answer } from '../../parts/loading/answer.js';
import { CopiedId } from '../../parts/display/copy.js';
import { Failure } from '../../parts/loading/failure.js';
import { BlocksLoading } from '../../parts/loading/loading.js';
import { Moment } from '../../parts/display/moment.js';
import { Money } from '../../parts/money/money.js';
import { PaymentTag } from '../../parts/display/tag.js';
import { useAddress } from '../../parts/state/use-address.js';
import { watchedToTheEnd } from '../../live/poll-intervals.js';
import { nameOfKey } from '../../wallet/key-words.js';
import { NO_FILTER } from '../../payments/payment-filters.js';
import { stoppedBecause } from '../../payments/status.js';
import { useNow } from '../../parts/display/countdown.js';
import { useMay, useUser } from '../../session/session.js';
import { Decide, useDecision } from '../approvals/decide.js';
import { problemsOf } from '../approvals/problem.js';
import { loadable } from '../../parts/loading/loadable.js';
import { OnDemand } from '../../parts/loading/boundary.js';
import { Checks } from './checks.js';
import { Receipt } from './receipt.js';
import { mayHaveRemedy, Remedy } from './remedy.js';
import { Timeline } from './timeline.js';
import { Skeleton } from '../../parts/loading/skeleton.js';
import { Drawer } from '../../parts/display/windows.js';

const Records = loadable(
  () => import('./records/records.js'),
  (part) => part.Records,
);

/** The API knows a payment by its wallet: an address that lost the wallet leads to none. */
const OF_NO_WALLET = new ApiError(404, 'TRANSACTION_NOT_FOUND', 'The address names no wallet.');

/** The payment that the address names: what became of it, how the money moved, what the checks said. */
export const PaymentDrawer = memo(function PaymentDrawer({
  walletId,
  isOfMany,
}: {
  /** Empty where the address names none. */
  walletId: string;
  isOfMany?: boolean;
}) {
  const address = useAddress();
  const transactionId = address.get('transaction');
  const isNamed = transactionId !== null && walletId !== '';
  const wallet = useQuery({
    queryKey: queryKeys.wallet(walletId),
    queryFn: () => readWallet(walletId),
    enabled: isNamed,
  }).data?.wallet;
  const query = useQuery({
    queryKey: queryKeys.payment(walletId, transactionId),
    queryFn: () => readTransaction(walletId, transactionId ?? ''),
    enabled: isNamed,
    refetchInterval: watchedToTheEnd((payment) => [payment]),
    // Kept while the drawer slides away.
    placeholderData: transactionId === null ? keepPreviousData : undefined,
  });
  return (
    <Drawer
      opened={transactionId !== null}
      onClose={() => address.set({ transaction: null, of: null })}
      position="right"
      size="md"
      title="Payment"
    >
      {transactionId !== null && !isNamed ? (
        <Failure error={OF_NO_WALLET} what="This payment" />
      ) : (
        <Answer of={query} what="This payment" loading={<BlocksLoading heights={[70, 180, 44, 60, 200]} />}>
          {(payment) => <Details payment={payment} wallet={wallet} isOfMany={isOfMany} />}
        </Answer>
      )}
    </Drawer>
  );
});

function Details({
  payment,
  wallet,
  isOfMany,
}: {
  payment: TransactionDetails;
  wallet: Wallet | undefined;
  /** The screen behind shows several wallets. */
  isOfMany: boolean | undefined;
}) {
  const { status } = payment;
  const address = useAddress();
  const bankName = useBankNames();
  return (
    <Stack gap="lg">
      <div>
        <Group justify="space-between" gap="4px 10px" mb={4}>
          <Text fz={28} fw={600} lts="-0.02em">
            <Money kobo={payment.amount} />
          </Text>
          <PaymentTag payment={payment} />
        </Group>
        <Text className="wrap">to {payment.merchantName}</Text>
        {(status === 'blocked' || status === 'returned') && (
          <Text className="bad" fw={500} mt={4}>
            {stoppedBecause(payment)}
          </Text>
        )}
      </div>
      {wallet ? (
        <Remedy payment={payment} wallet={wallet} />
      ) : (
        mayHaveRemedy(payment.blockReason) && <Skeleton h={30} w={140} />
      )}
      {payment.approval && (
        <Waiting payment={payment} expiresAt={payment.approval.expiresAt} wallet={wallet} />
      )}
      <Timeline payment={payment} />
      <Checks payment={payment} />
      <Entries payment={payment} />
      <section aria-label="Details">
        <Title order={2} mb="xs">
          Details
        </Title>
        <dl className="facts">
          {isOfMany && (
            <>
              <dt>Wallet</dt>
              <dd>
                <Link to={`/wallets/${payment.walletId}`}>{wallet?.name ?? 'Open the wallet'}</Link>
              </dd>
            </>
          )}
          <dt>Account</dt>
          <dd className="tabular">{payment.recipientAccountNo}</dd>
          <dt>Bank</dt>
          <dd>{bankName(payment.recipientBankCode)}</dd>
          <dt>Reason</dt>
          <dd>{payment.reason ?? 'None given'}</dd>
          {payment.purpose && (
            <>
              <dt>Purpose</dt>
              <dd>{payment.purpose}</dd>
            </>
          )}
          {payment.runId && (
            <>
              <dt>Run</dt>
              <dd className="wrap">
                <Link
                  to={`/payments?${new URLSearchParams({ run: payment.runId }).toString()}`}
                  title="See all payments of this run"
                >
                  {payment.runId}
                </Link>
              </dd>
            </>
          )}
          {payment.rationale && (
            <>
              <dt>Rationale</dt>
              <dd className="wrap" style={{ whiteSpace: 'pre-line' }}>
                {payment.rationale}
              </dd>
            </>
          )}
          {payment.key && (
            <>
              <dt>Key</dt>
              <dd>
                <Link
                  to={address.to({
                    ...NO_FILTER,
                    key: payment.key.id,
                    ...(isOfMany && { wallet: payment.walletId }),
                    tab: null,
                    transaction: null,
                    of: null,
                  })}
                  title="See all payments of this key"
                >
                  {nameOfKey(payment.key)}
                </Link>{' '}
                <span className="mono">{payment.key.prefix}…</span>
              </dd>
            </>
          )}
          <dt>Payment ID</dt>
          <dd>
            <CopiedId value={payment.id} name="payment ID" />
          </dd>
        </dl>
      </section>
      <OnDemand fallback={<BlocksLoading heights={[30, 60, 60]} />} onFailed={() => undefined}>
        <Records payment={payment} />
      </OnDemand>
      {payment.decision !== 'pending' && <Receipt paymentId={payment.id} />}
    </Stack>
  );
}

function Waiting({
  payment,
  expiresAt,
  wallet,
}: {
  payment: TransactionDetails;
  expiresAt: string;
  wallet: Wallet | undefined;
}) {
  const now = useNow(expiresAt);
  const mayDecide = useMay('payments.approve');
  const decision = useDecision();
  const approval = { expiresAt, transaction: payment };
  return (
    <section aria-label="Approval">
      <Text size="sm" c="dimmed" mb="xs">
        Waits for approval until <Moment at={expiresAt} />.{' '}
        <Link to={`/approvals?id=${payment.id}`}>Open the approval</Link>
      </Text>
      <Decide
        id={payment.id}
        amount={payment.amount}
        merchantName={payment.merchantName}
        decision={decision}
        problems={problemsOf({ approval, wallet, userId: useUser().id, mayDecide, now })}
      />
    </section>
  );
}

function Entries({ payment }: { payment: TransactionDetails }) {
  const status = payment.settlement?.status;
  const query = useQuery({
    queryKey: queryKeys.paymentLedger(payment.walletId, payment.id, status),
    queryFn: () => ledgerOf(payment.walletId, payment.id),
    // A blocked payment moves nothing.
    enabled: payment.decision === 'approved',
    placeholderData: keepPreviousData,
  });
  return (
    <section aria-label="Ledger entries">
      <Title order={2} mb={4}>
        Ledger
      </Title>
      {payment.decision !== 'approved' ? (
        <Text size="sm" c="dimmed">
          {payment.decision === 'pending' ? 'The amount is held; no money has moved.' : 'No money moved.'}
        </Text>
      ) : (
        <ol className="checks">
          <Answer of={query} what="Its ledger entries" loading={<EntriesLoading />}>
            {({ data }) => data.map((entry) => <EntryLine key={entry.id} entry={entry} />)}
          </Answer>
        </ol>
      )}
    </section>
  );
}

function EntryLine({ entry }: { entry: LedgerEntry }) {
  const isOut = entry.type === 'debit';
  return (
    <li className="ends">
      <Text size="sm" component="div">
        {isOut ? 'Payment ' : 'Refund '}
        <Money kobo={entry.amount} signed={isOut ? '−' : '+'} />
        <Text size="xs" c="dimmed" component="div">
          <Moment at={entry.createdAt} />
        </Text>
      </Text>
      <Text size="xs" c="dimmed">
        Balance <Money kobo={entry.balanceAfter} />
      </Text>
    </li>
  );
}

function EntriesLoading() {
  return (
    <li style={{ display: 'block' }}>
      <Skeleton h={42} />
    </li>
  );
}
