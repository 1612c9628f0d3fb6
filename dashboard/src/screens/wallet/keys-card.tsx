import { Group, Stack, Text } from '@mantine/core';
import type { WalletDetails } from '../../api/types.js';
import { Card } from '../../parts/card.js';
import { CopiedId } from '../../parts/copy.js';
import { Moment } from '../../parts/moment.js';

export function KeysCard({ walletId, apiKeys }: { walletId: string; apiKeys: WalletDetails['apiKeys'] }) {
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
            <CopiedId value={walletId} name="wallet id" />
          </dd>
        </dl>
      </Stack>
    </Card>
  );
}
