import { Divider, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { WalletDetails } from '../../api/types.js';
import { BlocksLoading } from '../../parts/loading/loading.js';
import { SandboxTag } from '../../parts/display/sandbox.js';
import { spendable } from '../../money/money.js';
import { useAddress } from '../../parts/state/use-address.js';
import { SimulateTransfer } from './simulate-transfer.js';
import { TestPayment } from './test-payment.js';
import { Drawer } from '../../parts/display/windows.js';

/** What only the sandbox can do, away from real actions. */
export function TestDrawer({ walletId, details }: { walletId: string; details: WalletDetails | undefined }) {
  const address = useAddress();
  return (
    <Drawer
      opened={address.get('test') !== null}
      onClose={() => address.set({ test: null })}
      position="right"
      size="md"
      title={
        <Group gap="xs" component="span">
          Test
          <SandboxTag />
        </Group>
      }
    >
      {details ? <Tests walletId={walletId} details={details} /> : <BlocksLoading heights={[160, 420]} />}
    </Drawer>
  );
}

/** A wallet without money is funded first. */
function Tests({ walletId, details }: { walletId: string; details: WalletDetails }) {
  const [wasEmpty] = useState(spendable(details.wallet) === 0);
  return (
    <Stack gap="lg">
      <Text size="sm" c="dimmed">
        The sandbox bank moves no real money.
      </Text>
      {wasEmpty && (
        <>
          <SimulateTransfer walletId={walletId} account={details.virtualAccount} />
          <Divider />
        </>
      )}
      <TestPayment walletId={walletId} wallet={details.wallet} />
    </Stack>
  );
}
