import { ChartCard } from '../../parts/money/chart-card.js';
import { InSteps } from '../../parts/forms/in-steps.js';
import { Activity } from './activity.js';
import { WalletList } from './wallet-list.js';

/** Below the news: loaded behind them. */
export default function Lower({ count }: { count: number }) {
  return (
    <InSteps>
      <ChartCard walletId={null} />
      <WalletList count={count} />
      <Activity />
    </InSteps>
  );
}
