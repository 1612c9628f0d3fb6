import { Group, Stack, Text } from '@mantine/core';
import type { VirtualAccount } from '../../api/types.js';
import { Card } from '../../parts/card.js';
import { Copy } from '../../parts/copy.js';

export function AccountCard({ account }: { account: VirtualAccount }) {
  return (
    <Card title="Bank account">
      <Stack gap="xs">
        <Group justify="space-between" wrap="nowrap">
          <Text fz={22} fw={650} className="tabular">
            {account.accountNumber}
          </Text>
          <Copy value={account.accountNumber} name="account number" />
        </Group>
        <dl className="facts">
          <dt>Bank</dt>
          <dd>
            {account.bankName} · {account.bankCode}
          </dd>
          <dt>Name</dt>
          <dd>{account.accountName}</dd>
        </dl>
        <Text size="xs" c="dimmed">
          What is transferred to it is credited to the wallet.
        </Text>
      </Stack>
    </Card>
  );
}
