import '../../styles/hero.css';
import { Divider, Group, Stack, Text } from '@mantine/core';
import type { VirtualAccount } from '../../api/types.js';
import { Copy } from '../../parts/display/copy.js';
import { useAddress } from '../../parts/state/use-address.js';
import { Modal } from '../../parts/display/windows.js';
import { useSandbox } from '../../parts/display/sandbox.js';
import { SimulateTransfer } from './simulate-transfer.js';

/** The account whose transfers are credited to the wallet; open when the address says so. */
export function Fund({ walletId, account }: { walletId: string; account: VirtualAccount }) {
  const isSandbox = useSandbox();
  const address = useAddress();
  return (
    <Modal
      opened={address.get('fund') !== null}
      onClose={() => address.set({ fund: null })}
      title="Fund this wallet"
    >
      <Stack>
        {isSandbox ? (
          <>
            <Text size="sm">
              In the sandbox no real bank reaches this account: simulate a transfer to it.
            </Text>
            <SimulateTransfer walletId={walletId} account={account} />
            <Divider />
          </>
        ) : (
          <Text size="sm">Transfer naira to this account. It’s credited to the wallet when it arrives.</Text>
        )}
        <Group justify="space-between" wrap="nowrap" className="account-number">
          <div>
            <Text size="xs" c="dimmed">
              Account number
            </Text>
            <Text fz={24} fw={600} className="tabular">
              {account.accountNumber}
            </Text>
          </div>
          <Copy value={account.accountNumber} name="account number" />
        </Group>
        <dl className="facts">
          <dt>Bank</dt>
          <dd>{account.bankName}</dd>
          <dt>Account name</dt>
          <dd>{account.accountName}</dd>
        </dl>
      </Stack>
    </Modal>
  );
}
