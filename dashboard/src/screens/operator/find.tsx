import { Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { find, operatorKey } from '../../api/operator.js';
import { Card } from '../../parts/display/card.js';
import { SearchIcon } from '../../parts/display/icons.js';
import { useTyped } from '../../parts/forms/use-typed.js';
import { Empty } from '../../parts/lists/empty.js';
import { Answer } from '../../parts/loading/answer.js';
import { BlocksLoading } from '../../parts/loading/loading.js';
import { useAddress } from '../../parts/state/use-address.js';
import { UserItem, WalletItem } from './people-items.js';

/** Users and wallets by what somebody wrote to us. */
export function Find() {
  const address = useAddress();
  const text = (address.get('text') ?? '').trim();
  const typed = useTyped(text, (value) => address.set({ text: value.trim() || null }, { replace: true }));
  return (
    <Stack gap="lg">
      <TextInput
        label="ID, email, account number or reference"
        description="Exact matches only"
        leftSection={<SearchIcon size={16} />}
        maw={560}
        maxLength={200}
        value={typed.value}
        onChange={({ currentTarget }) => typed.type(currentTarget.value)}
      />
      {text !== '' && <Found text={text} />}
    </Stack>
  );
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function Found({ text }: { text: string }) {
  const query = useQuery({ queryKey: operatorKey('find', text), queryFn: () => find(text) });
  return (
    <Answer of={query} what="The search" loading={<BlocksLoading heights={[160, 160]} />}>
      {({ users, wallets }) => (
        <>
          {UUID.test(text) && (
            <Text size="sm">
              <Link to={`/operator/payouts?reference=${text}`}>Payout with this reference</Link>
            </Text>
          )}
          <Card title="Users" flush>
            {users.length === 0 ? (
              <Empty title="No user found">Only exact matches are found.</Empty>
            ) : (
              <ul className="rows">
                {users.map((user) => (
                  <li key={user.id}>
                    <UserItem user={user} />
                  </li>
                ))}
              </ul>
            )}
          </Card>
          <Card title="Wallets" flush>
            {wallets.length === 0 ? (
              <Empty title="No wallet found">Only exact matches are found.</Empty>
            ) : (
              <ul className="rows">
                {wallets.map((wallet) => (
                  <li key={wallet.id}>
                    <WalletItem wallet={wallet} />
                  </li>
                ))}
              </ul>
            )}
          </Card>
        </>
      )}
    </Answer>
  );
}
