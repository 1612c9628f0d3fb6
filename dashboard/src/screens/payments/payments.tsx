import { Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { wallets as listWallets } from '../../api/calls.js';
import { useTitle } from '../../parts/title.js';
import { useAddress } from '../../parts/use-address.js';
import { overview } from '../../poll-intervals.js';
import { useUser } from '../../session.js';
import { PaymentDrawer } from './payment-drawer.js';
import { PaymentList } from './payment-list.js';

/** The payments of all wallets; the address keeps what is chosen. */
export function Payments() {
  useTitle('Payments');
  const user = useUser();
  const address = useAddress();
  const wallets = useQuery({
    queryKey: ['wallets', user.id],
    queryFn: () => listWallets(user.id),
    refetchInterval: overview,
  });
  return (
    <Stack gap="lg">
      <Title order={1}>Payments</Title>
      <PaymentList title="All wallets" of={{ wallets: wallets.data ?? [] }} />
      <PaymentDrawer walletId={address.get('of') ?? ''} isOfMany />
    </Stack>
  );
}
