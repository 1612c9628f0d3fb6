import { Stack, Text } from '@mantine/core';
import type { WalletDetails } from '../../api/types.js';
import { Card } from '../../parts/card.js';
import { CopiedId } from '../../parts/copy.js';
import { BlocksLoading } from '../../parts/loading.js';
import { Moment } from '../../parts/moment.js';
import { Snippets } from '../../parts/snippets.js';
import { rememberedKey } from '../../secrets.js';

export function Keys({ walletId, details }: { walletId: string; details: WalletDetails | undefined }) {
  if (!details) return <BlocksLoading heights={[160, 300]} />;
  return (
    <Stack gap="lg">
      <Card title="API keys" flush>
        <ul className="rows">
          {details.apiKeys.map((key) => (
            <li key={key.id}>
              <div className="row row-plain row-ends">
                <span className="mono">{key.keyPrefix}…</span>
                <Text size="xs" c="dimmed" component="span">
                  Created <Moment at={key.createdAt} />
                </Text>
              </div>
            </li>
          ))}
        </ul>
      </Card>
      <Card title="Use it">
        <Stack gap="md">
          <dl className="facts">
            <dt>Wallet ID</dt>
            <dd>
              <CopiedId value={walletId} name="wallet ID" />
            </dd>
          </dl>
          <Snippets wallet={details.wallet} apiKey={rememberedKey(walletId)} />
        </Stack>
      </Card>
    </Stack>
  );
}
