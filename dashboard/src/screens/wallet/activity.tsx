import { Tabs, Text } from '@mantine/core';
import { useSearchParams } from 'react-router';
import type { WalletDetails } from '../../api/types.js';
import { Card } from '../../parts/card.js';
import { Empty } from '../../parts/empty.js';
import { BlocksLoading } from '../../parts/loading.js';
import { Ledger } from './ledger.js';
import { Transactions } from './transactions.js';

type Merchants = WalletDetails['merchants'] | undefined;

/** What happened: attempts to pay, changes of the balance, and who was paid. */
export function Activity({ walletId, merchants }: { walletId: string; merchants: Merchants }) {
  const [search, setSearch] = useSearchParams();
  const open = (value: string | null) => {
    setSearch(value && value !== 'transactions' ? { tab: value } : {}, {
      replace: true,
      preventScrollReset: true,
    });
  };
  return (
    <Tabs value={search.get('tab') ?? 'transactions'} onChange={open} keepMounted={false}>
      <Tabs.List mb="md">
        <Tabs.Tab value="transactions">Transactions</Tabs.Tab>
        <Tabs.Tab value="ledger">Ledger</Tabs.Tab>
        <Tabs.Tab value="merchants">Merchants</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="transactions">
        <Transactions walletId={walletId} />
      </Tabs.Panel>
      <Tabs.Panel value="ledger">
        <Ledger walletId={walletId} />
      </Tabs.Panel>
      <Tabs.Panel value="merchants">
        <MerchantsPaid merchants={merchants} />
      </Tabs.Panel>
    </Tabs>
  );
}

function MerchantsPaid({ merchants }: { merchants: Merchants }) {
  return (
    <Card title="Merchants it has paid" flush>
      {!merchants ? (
        <BlocksLoading heights={[120]} />
      ) : merchants.length === 0 ? (
        <Empty title="None yet">Each merchant is listed from its first approved payment on.</Empty>
      ) : (
        <ul className="rows">
          {merchants.map(({ id, name }) => (
            <li key={id}>
              <Text size="sm" fw={500} px="md" py="sm">
                {name}
              </Text>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
