import { useQuery } from '@tanstack/react-query';
import { walletNamesQuery } from '../../api/wallet-list.js';
import { OnDemand } from '../../parts/loading/boundary.js';
import { loadable } from '../../parts/loading/loadable.js';

const Banner = loadable(
  () => import('./frozen-all-banner.js'),
  (part) => part.default,
);

/** The wallets that “Freeze all” froze and that are frozen still. */
export function useFrozenAll() {
  const { data = [] } = useQuery(walletNamesQuery);
  const frozen = data.filter(({ suspendedAllAt }) => suspendedAllAt !== undefined);
  return { frozen, isEveryOne: data.every(({ status }) => status !== 'ACTIVE') };
}

/** Says on every screen that “Freeze all” holds, as long as it does for one wallet. */
export function FrozenAll() {
  const { frozen, isEveryOne } = useFrozenAll();
  if (frozen.length === 0) return null;
  return (
    <OnDemand onFailed={() => undefined}>
      <Banner frozen={frozen} isEveryOne={isEveryOne} />
    </OnDemand>
  );
}
