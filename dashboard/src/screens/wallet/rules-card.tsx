import type { Wallet } from '../../api/types.js';
import { Card } from '../../parts/card.js';
import { Moment } from '../../parts/moment.js';
import { Money } from '../../parts/money.js';

export function RulesCard({ wallet }: { wallet: Wallet }) {
  return (
    <Card title="Rules">
      <dl className="facts">
        <dt>At a time</dt>
        <dd>
          <Money kobo={wallet.spendLimitPerTx} />
        </dd>
        <dt>{wallet.periodWindowDays === 1 ? 'In any day' : `In any ${wallet.periodWindowDays} days`}</dt>
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
    </Card>
  );
}
