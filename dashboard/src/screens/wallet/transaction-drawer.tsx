import { Drawer, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { ledgerOf, transaction as readTransaction } from '../../api/calls.js';
import type { LedgerEntry, TransactionDetails } from '../../api/types.js';
import { type CheckResult, checksOf, reasonOf, settlementSteps } from '../../checks.js';
import { Answer } from '../../parts/answer.js';
import { CopiedId } from '../../parts/copy.js';
import { CheckIcon, CrossIcon, DashIcon } from '../../parts/icons.js';
import { Moment } from '../../parts/moment.js';
import { Money } from '../../parts/money.js';
import { DecisionTag, Tag } from '../../parts/tag.js';
import { BlocksLoading } from '../../parts/loading.js';

/** The attempt to pay that the address names: what was asked, what the six checks said, how the money moved. */
export function TransactionDrawer({ walletId }: { walletId: string }) {
  const [search, setSearch] = useSearchParams();
  const transactionId = search.get('transaction');
  const close = () => {
    const rest = new URLSearchParams(search);
    rest.delete('transaction');
    setSearch(rest, { preventScrollReset: true });
  };
  const query = useQuery({
    queryKey: ['transaction', walletId, transactionId],
    queryFn: () => readTransaction(walletId, transactionId ?? ''),
    enabled: transactionId !== null,
    refetchInterval: ({ state }) => (isMoving(state.data) ? 2_000 : false),
    // What was shown stays while the drawer slides away.
    placeholderData: transactionId === null ? keepPreviousData : undefined,
  });
  return (
    <Drawer opened={transactionId !== null} onClose={close} position="right" size="md" title="Attempt to pay">
      <Answer of={query} what="This attempt" loading={<BlocksLoading heights={[62, 340, 96, 120]} />}>
        {(transaction) => <Details transaction={transaction} />}
      </Answer>
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
            <CopiedId value={transaction.id} name="id" />
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
  const status = transaction.settlement?.status;
  const query = useQuery({
    queryKey: ['ledger', transaction.walletId, 'of', transaction.id, status],
    queryFn: () => ledgerOf(transaction.walletId, transaction.id),
    // A blocked attempt moves nothing.
    enabled: transaction.decision === 'approved',
    placeholderData: keepPreviousData,
  });
  return (
    <section aria-label="Ledger entries">
      <Title order={2} mb={4}>
        Ledger
      </Title>
      {transaction.decision === 'blocked' ? (
        <Text size="sm" c="dimmed">
          Nothing moved.
        </Text>
      ) : (
        <ol className="checks">
          <Answer
            of={query}
            what="Its ledger entries"
            loading={<EntriesLoading count={status === 'failed' ? 2 : 1} />}
          >
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
    <li style={{ gridTemplateColumns: '1fr auto' }}>
      <Text size="sm">
        {isOut ? 'Payment −' : 'Refund +'}
        <Money kobo={entry.amount} />
      </Text>
      <Text size="xs" c="dimmed">
        left <Money kobo={entry.balanceAfter} />
      </Text>
    </li>
  );
}

function EntriesLoading({ count }: { count: number }) {
  return Array.from({ length: count }, (_, i) => (
    <li key={i} style={{ display: 'block' }}>
      <Skeleton h={22} />
    </li>
  ));
}
