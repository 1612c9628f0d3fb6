import { Drawer, Group, Stack, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ledgerOf, transaction as readTransaction } from '../api/calls.js';
import type { TransactionDetails } from '../api/types.js';
import { type CheckResult, checksOf, reasonOf, settlementSteps } from '../checks.js';
import { Copy, DecisionTag, Moment, Money, Tag } from './bits.js';
import { Failure } from './failure.js';
import { CheckIcon, CrossIcon, DashIcon } from './icons.js';
import { Waiting } from './waiting.js';

/** One attempt to pay: what was asked, what the six checks said, how the money moved. */
export function TransactionDrawer({
  walletId,
  transactionId,
  onClose,
}: {
  walletId: string;
  transactionId: string | null;
  onClose: () => void;
}) {
  const query = useQuery({
    queryKey: ['transaction', walletId, transactionId],
    queryFn: () => readTransaction(walletId, transactionId ?? ''),
    enabled: transactionId !== null,
    refetchInterval: ({ state }) => (isMoving(state.data) ? 2_000 : false),
    // What was shown stays while the drawer slides away.
    placeholderData: transactionId === null ? keepPreviousData : undefined,
  });
  return (
    <Drawer
      opened={transactionId !== null}
      onClose={onClose}
      position="right"
      size="md"
      title={<Text fw={650}>Attempt to pay</Text>}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {query.data ? (
        <Details transaction={query.data} />
      ) : query.isError ? (
        <Failure error={query.error} what="This attempt" onRetry={() => void query.refetch()} />
      ) : (
        <Waiting rows={6} />
      )}
    </Drawer>
  );
}

function isMoving(transaction: TransactionDetails | undefined): boolean {
  return transaction?.settlement?.status === 'pending' || transaction?.settlement?.status === 'processing';
}

function Details({ transaction }: { transaction: TransactionDetails }) {
  return (
    <Stack gap="lg">
      <div>
        <Group justify="space-between" wrap="nowrap">
          <Text fz={26} fw={650}>
            <Money kobo={transaction.amount} />
          </Text>
          <DecisionTag decision={transaction.decision} />
        </Group>
        <Text>to {transaction.merchantName}</Text>
        {transaction.blockReason && (
          <Text className="bad" fw={600} mt={4}>
            {reasonOf(transaction.blockReason)}
          </Text>
        )}
      </div>
      <section aria-label="Checks">
        <Title order={2}>Six checks</Title>
        <ol className="checks">
          {checksOf(transaction.auditEvents).map((check) => (
            <CheckLine key={check.rule} check={check} />
          ))}
        </ol>
      </section>
      {transaction.settlement && <Settlement transaction={transaction} />}
      <Entries transaction={transaction} />
      <section aria-label="Details">
        <Title order={2} mb="xs">
          Details
        </Title>
        <dl className="facts">
          <dt>When</dt>
          <dd>
            <Moment at={transaction.createdAt} />
          </dd>
          <dt>Recipient</dt>
          <dd className="tabular">
            {transaction.recipientAccountNo} at bank {transaction.recipientBankCode}
          </dd>
          <dt>Reason given</dt>
          <dd>{transaction.reason ?? 'None'}</dd>
          <dt>Id</dt>
          <dd>
            <Group gap={4} justify="flex-end" wrap="nowrap">
              <Text size="xs" className="mono">
                {transaction.id}
              </Text>
              <Copy value={transaction.id} name="id" />
            </Group>
          </dd>
        </dl>
      </section>
    </Stack>
  );
}

const MARKS = {
  passed: { icon: <CheckIcon />, tone: 'good', said: 'Passed' },
  failed: { icon: <CrossIcon />, tone: 'bad', said: 'Failed' },
  'not reached': { icon: <DashIcon />, tone: '', said: 'Not reached' },
} as const;

function CheckLine({ check }: { check: CheckResult }) {
  const { icon, tone, said } = MARKS[check.result];
  return (
    <li>
      <span className={tone} role="img" aria-label={said}>
        {icon}
      </span>
      <div>
        <Text
          size="sm"
          fw={check.result === 'failed' ? 650 : 500}
          {...(check.result === 'not reached' && { c: 'dimmed' })}
        >
          {check.rule}
        </Text>
        <Text size="xs" c="dimmed" className="tabular" style={{ whiteSpace: 'normal' }}>
          {check.compared}
        </Text>
      </div>
    </li>
  );
}

const STATUS_TONES = {
  pending: 'wait',
  processing: 'wait',
  succeeded: 'good',
  failed: 'bad',
  reversed: 'bad',
} as const;

const STATUS_WORDS = {
  pending: 'Pending',
  processing: 'Under way',
  succeeded: 'Paid',
  failed: 'Failed',
  reversed: 'Reversed',
} as const;

function Settlement({ transaction: { settlement, auditEvents } }: { transaction: TransactionDetails }) {
  const status = settlement?.status ?? 'pending';
  return (
    <section aria-label="Settlement">
      <Group justify="space-between" mb={4}>
        <Title order={2}>Settlement</Title>
        <Tag tone={STATUS_TONES[status]}>{STATUS_WORDS[status]}</Tag>
      </Group>
      <ol className="checks">
        {settlementSteps(auditEvents).map(({ name, at, why }) => (
          <li key={`${name} ${at}`} style={{ gridTemplateColumns: '1fr auto' }}>
            <Text size="sm">
              {name}
              {why ? `: ${why}` : ''}
            </Text>
            <Text size="xs" c="dimmed" component="div">
              <Moment at={at} />
            </Text>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Entries({ transaction }: { transaction: TransactionDetails }) {
  const query = useQuery({
    queryKey: ['ledger', transaction.walletId, 'of', transaction.id, transaction.settlement?.status],
    queryFn: () => ledgerOf(transaction.walletId, transaction.id),
    placeholderData: keepPreviousData,
  });
  return (
    <section aria-label="Ledger entries">
      <Title order={2} mb={4}>
        Ledger
      </Title>
      {query.isError ? (
        <Failure error={query.error} what="Its ledger entries" onRetry={() => void query.refetch()} />
      ) : query.data?.data.length === 0 ? (
        <Text size="sm" c="dimmed">
          Nothing moved.
        </Text>
      ) : (
        <ol className="checks">
          {query.data?.data.map((entry) => (
            <li key={entry.id} style={{ gridTemplateColumns: '1fr auto' }}>
              <Text size="sm">
                {entry.type === 'debit' ? 'Payment' : 'Refund'} {entry.type === 'debit' ? '−' : '+'}
                <Money kobo={entry.amount} />
              </Text>
              <Text size="xs" c="dimmed">
                left <Money kobo={entry.balanceAfter} />
              </Text>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
