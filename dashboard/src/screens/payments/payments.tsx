import { Button, Group, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { WalletName } from '../../api/types.js';
import { walletNamesQuery } from '../../api/wallet-list.js';
import { useTitle } from '../../parts/frame/title.js';
import { useAddress } from '../../parts/state/use-address.js';
import { PaymentDrawer } from './payment-drawer.js';
import { PaymentList } from './payment-list.js';
import { SavedViews } from './saved-views.js';

const NONE: readonly WalletName[] = [];

/** The payments of all wallets; the address keeps what is chosen. */
export function Payments() {
  useTitle('Payments');
  const address = useAddress();
  const wallets = useQuery(walletNamesQuery);
  return (
    <Stack gap="lg">
      <Group justify="space-between">
        <Title order={1}>Payments</Title>
        <Button component={Link} to="/payments/analytics" variant="default" size="xs">
          Analytics
        </Button>
      </Group>
      <SavedViews />
      <PaymentList title="All wallets" wallets={wallets.data ?? NONE} />
      <PaymentDrawer walletId={address.get('of') ?? ''} isOfMany />
    </Stack>
  );
}
