import {
  Button,
  Grid,
  Group,
  SegmentedControl,
  SimpleGrid,
  Skeleton,
  Stack,
  Tabs,
  Text,
  Title,
} from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useParams, useSearchParams } from 'react-router';
import {
  csvOf,
  isSandbox,
  ledger as readLedger,
  stats as readStats,
  transactions as readTransactions,
  wallet as readWallet,
} from '../api/calls.js';
import type { Decision, LedgerEntry, WalletDetails } from '../api/types.js';
import { Allowance } from '../parts/allowance.js';
import { Card, Copy, Empty, Figure, Moment, Money, WalletTag } from '../parts/bits.js';
import { ChartCard } from '../parts/chart-card.js';
import { Failure } from '../parts/failure.js';
import { DownloadIcon } from '../parts/icons.js';
import { Pager } from '../parts/pager.js';
import { SendMoney, TryPayment } from '../parts/sandbox.js';
import { useTitle } from '../parts/title.js';
import { TransactionDrawer } from '../parts/transaction-drawer.js';
import { TransactionRow } from '../parts/transaction-row.js';
import { Waiting } from '../parts/waiting.js';
import { sentence } from '../rule.js';
import { day, longDay } from '../time.js';

/** A wallet is watched while agents spend from it. */
const REFRESH_MS = 3_000;

export function Wallet() {
  const { walletId = '' } = useParams();
  const query = useQuery({
    queryKey: ['wallet', walletId],
    queryFn: () => readWallet(walletId),
    refetchInterval: REFRESH_MS,
  });
  useTitle(query.data?.wallet.name ?? 'Wallet');
  if (!query.data) {
    return query.isError ? (
      <Failure error={query.error} what="This wallet" onRetry={() => void query.refetch()} />
    ) : (
      <Waiting rows={5} height={96} />
    );
  }
  return <Loaded key={walletId} details={query.data} />;
}

function Loaded({ details }: { details: WalletDetails }) {
  const { wallet, virtualAccount } = details;
  const [search, setSearch] = useSearchParams();
  const sandbox = useQuery({ queryKey: ['sandbox'], queryFn: isSandbox, staleTime: Infinity, retry: false });
  const close = () => {
    setSearch(
      (current) => {
        current.delete('transaction');
        return current;
      },
      { preventScrollReset: true },
    );
  };
  return (
    <Stack gap="lg">
      <Group gap="sm">
        <Title order={1} style={{ overflowWrap: 'anywhere' }}>
          {wallet.name}
        </Title>
        <WalletTag wallet={wallet} />
      </Group>
      <Figures details={details} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Stack gap="lg">
            <ChartCard
              walletId={wallet.id}
              days={Math.min(Math.max(wallet.periodWindowDays, 7), 90)}
              refreshMs={10_000}
            />
            <Activity details={details} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Stack gap="lg">
            {sandbox.data && <SendMoney walletId={wallet.id} account={virtualAccount} />}
            {sandbox.data && <TryPayment walletId={wallet.id} />}
            <AccountCard details={details} />
            <RulesCard details={details} />
            <KeysCard details={details} />
          </Stack>
        </Grid.Col>
      </Grid>
      <TransactionDrawer walletId={wallet.id} transactionId={search.get('transaction')} onClose={close} />
    </Stack>
  );
}

function Figures({ details: { wallet } }: { details: WalletDetails }) {
  const stats = useQuery({
    queryKey: ['stats', wallet.id],
    queryFn: () => readStats(wallet.id),
    refetchInterval: REFRESH_MS,
  });
  const left = stats.data?.remainingAllowance;
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="md">
      <Figure
        name="Balance"
        value={<Money kobo={stats.data?.balance ?? wallet.balance} />}
        note="in the wallet now"
      />
      <Figure
        name="May still go"
        value={left === undefined ? <Skeleton h={30} w={140} my={3} /> : <Money kobo={left} />}
        note={<Allowance spent={stats.data?.spentThisPeriod ?? 0} limit={wallet.spendLimitPeriod} />}
      />
      <Figure
        name="At a time"
        value={<Money kobo={wallet.spendLimitPerTx} />}
        note={<span title={wallet.expiry}>until {day(wallet.expiry)}</span>}
      />
    </SimpleGrid>
  );
}

function Activity({ details }: { details: WalletDetails }) {
  const [search, setSearch] = useSearchParams();
  const tab = search.get('tab') ?? 'transactions';
  const open = (value: string | null) => {
    setSearch(value && value !== 'transactions' ? { tab: value } : {}, {
      replace: true,
      preventScrollReset: true,
    });
  };
  return (
    <Tabs value={tab} onChange={open} keepMounted={false}>
      <Tabs.List mb="md">
        <Tabs.Tab value="transactions">Transactions</Tabs.Tab>
        <Tabs.Tab value="ledger">Ledger</Tabs.Tab>
        <Tabs.Tab value="merchants">Merchants</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="transactions">
        <Transactions walletId={details.wallet.id} />
      </Tabs.Panel>
      <Tabs.Panel value="ledger">
        <Ledger walletId={details.wallet.id} />
      </Tabs.Panel>
      <Tabs.Panel value="merchants">
        <Merchants details={details} />
      </Tabs.Panel>
    </Tabs>
  );
}

function Download({ walletId, what }: { walletId: string; what: 'transactions' | 'ledgers' }) {
  return (
    <Button
      component="a"
      href={csvOf(walletId, what)}
      download
      variant="default"
      size="xs"
      leftSection={<DownloadIcon size={14} />}
    >
      CSV
    </Button>
  );
}

function Transactions({ walletId }: { walletId: string }) {
  const [decision, setDecision] = useState<Decision | 'all'>('all');
  const [page, setPage] = useState(1);
  const query = useQuery({
    queryKey: ['transactions', walletId, decision, page],
    queryFn: () => readTransactions(walletId, page, decision === 'all' ? undefined : decision),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
  const choose = (value: string) => {
    setDecision(value as Decision | 'all');
    setPage(1);
  };
  return (
    <Card title="Attempts to pay" aside={<Download walletId={walletId} what="transactions" />} flush>
      <Group px="md" py="sm">
        <SegmentedControl
          size="xs"
          aria-label="Which attempts"
          value={decision}
          onChange={choose}
          data={[
            { value: 'all', label: 'All' },
            { value: 'approved', label: 'Approved' },
            { value: 'blocked', label: 'Blocked' },
          ]}
        />
      </Group>
      {!query.data ? (
        query.isError ? (
          <Failure error={query.error} what="The transactions" onRetry={() => void query.refetch()} />
        ) : (
          <Waiting rows={4} />
        )
      ) : query.data.data.length === 0 ? (
        <Empty title={decision === 'all' ? 'No payments yet' : `Nothing ${decision}`}>
          {decision === 'all'
            ? 'As soon as the agent asks to pay, it shows up here: approved or blocked, with the reason.'
            : 'Choose All to see the other attempts.'}
        </Empty>
      ) : (
        <>
          <ul className="rows" style={{ borderTop: '1px solid var(--mantine-color-default-border)' }}>
            {query.data.data.map((each) => (
              <li key={each.id}>
                <TransactionRow transaction={each} to={{ search: `?transaction=${each.id}` }} />
              </li>
            ))}
          </ul>
          <Pager of={query.data.pagination} onChange={setPage} name="attempts" />
        </>
      )}
    </Card>
  );
}

const ENTRY_NAMES = { topup: 'Money in', debit: 'Payment', refund: 'Refund' } as const;

function Ledger({ walletId }: { walletId: string }) {
  const [page, setPage] = useState(1);
  const query = useQuery({
    queryKey: ['ledger', walletId, page],
    queryFn: () => readLedger(walletId, page),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
  return (
    <Card title="Every change of the balance" aside={<Download walletId={walletId} what="ledgers" />} flush>
      {!query.data ? (
        query.isError ? (
          <Failure error={query.error} what="The ledger" onRetry={() => void query.refetch()} />
        ) : (
          <Waiting rows={4} />
        )
      ) : query.data.data.length === 0 ? (
        <Empty title="No money has moved yet">
          Send money to the account of this wallet, and it is credited here.
        </Empty>
      ) : (
        <>
          <ul className="rows">
            {query.data.data.map((entry) => (
              <li key={entry.id}>
                <EntryRow entry={entry} />
              </li>
            ))}
          </ul>
          <Pager of={query.data.pagination} onChange={setPage} name="entries" />
        </>
      )}
    </Card>
  );
}

function EntryRow({ entry }: { entry: LedgerEntry }) {
  const isOut = entry.type === 'debit';
  return (
    <div className="row entry">
      <Text size="sm" c="dimmed" component="div">
        <Moment at={entry.createdAt} />
      </Text>
      <div>
        <Text fw={500}>{ENTRY_NAMES[entry.type]}</Text>
        <Text size="xs" c="dimmed" truncate title={entry.reference}>
          {entry.narration ?? entry.reference}
        </Text>
      </div>
      <Text fw={600} className={isOut ? 'money end' : 'money end good'}>
        {isOut ? '−' : '+'}
        <Money kobo={entry.amount} />
      </Text>
      <Text size="sm" c="dimmed" className="end">
        <Text span hiddenFrom="sm" size="xs">
          left{' '}
        </Text>
        <Money kobo={entry.balanceAfter} />
      </Text>
    </div>
  );
}

function Merchants({ details: { merchants } }: { details: WalletDetails }) {
  return (
    <Card title="Merchants it has paid" flush>
      {merchants.length === 0 ? (
        <Empty title="None yet">Each merchant is listed from its first approved payment on.</Empty>
      ) : (
        <ul className="rows">
          {merchants.map(({ id, name }) => (
            <li key={id}>
              <Text px="md" py="sm">
                {name}
              </Text>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function AccountCard({ details: { virtualAccount } }: { details: WalletDetails }) {
  return (
    <Card title="Bank account">
      <Stack gap="xs">
        <Group justify="space-between" wrap="nowrap">
          <Text fz={22} fw={650} className="tabular">
            {virtualAccount.accountNumber}
          </Text>
          <Copy value={virtualAccount.accountNumber} name="account number" />
        </Group>
        <dl className="facts">
          <dt>Bank</dt>
          <dd>
            {virtualAccount.bankName} ({virtualAccount.bankCode})
          </dd>
          <dt>Name</dt>
          <dd>{virtualAccount.accountName}</dd>
        </dl>
        <Text size="xs" c="dimmed">
          What is transferred to it is credited to the wallet.
        </Text>
      </Stack>
    </Card>
  );
}

function RulesCard({ details: { wallet } }: { details: WalletDetails }) {
  return (
    <Card title="Rules">
      <Stack gap="sm">
        <Text size="sm">
          {sentence({
            name: 'It',
            perTx: wallet.spendLimitPerTx,
            period: wallet.spendLimitPeriod,
            days: String(wallet.periodWindowDays),
            until: longDay(new Date(wallet.expiry)),
            merchants: wallet.useAllowlist ? wallet.merchantAllowlist : null,
          })}
        </Text>
        <dl className="facts">
          <dt>At a time</dt>
          <dd>
            <Money kobo={wallet.spendLimitPerTx} />
          </dd>
          <dt>In {wallet.periodWindowDays} days</dt>
          <dd>
            <Money kobo={wallet.spendLimitPeriod} />
          </dd>
          <dt>Expires</dt>
          <dd>
            <Moment at={wallet.expiry} />
          </dd>
          <dt>Merchants</dt>
          <dd>{wallet.useAllowlist ? wallet.merchantAllowlist.join(', ') : 'Any'}</dd>
        </dl>
      </Stack>
    </Card>
  );
}

function KeysCard({ details: { wallet, apiKeys } }: { details: WalletDetails }) {
  return (
    <Card title="API keys">
      <Stack gap="xs">
        {apiKeys.map((key) => (
          <Group key={key.id} justify="space-between" gap="xs">
            <Text size="sm" className="mono">
              {key.keyPrefix}…
            </Text>
            <Text size="xs" c="dimmed" component="div">
              <Moment at={key.createdAt} />
            </Text>
          </Group>
        ))}
        <dl className="facts">
          <dt>Wallet id</dt>
          <dd>
            <Group gap={4} justify="flex-end" wrap="nowrap">
              <Text size="xs" className="mono">
                {wallet.id}
              </Text>
              <Copy value={wallet.id} name="wallet id" />
            </Group>
          </dd>
        </dl>
      </Stack>
    </Card>
  );
}
