import { Stack, Text } from '@mantine/core';
import type { Wallet } from '../../api/types.js';
import { Card } from '../../parts/card.js';
import { Moment } from '../../parts/moment.js';
import { Money } from '../../parts/money.js';
import { sentence } from '../../rule.js';
import { longDay } from '../../time.js';

export function RulesCard({ wallet }: { wallet: Wallet }) {
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
