import type { WalletDetails } from '../../api/types.js';
import { EditRules } from '../controls/edit-rules.js';
import { PaymentDrawer } from '../payments/payment-drawer.js';
import { loadHeroDialogs, loadOtherTab } from './loaded-later.js';
import { TestDrawer } from './test-drawer.js';

for (const load of [loadHeroDialogs, loadOtherTab]) load().catch(() => undefined);

interface Props {
  walletId: string;
  details: WalletDetails | undefined;
  canTest: boolean;
}

/** Drawers and dialogs, loaded after the screen. */
export default function Later({ walletId, details, canTest }: Props) {
  return (
    <>
      <PaymentDrawer walletId={walletId} />
      {details && details.wallet.status !== 'CLOSED' && <EditRules wallet={details.wallet} />}
      {canTest && <TestDrawer walletId={walletId} details={details} />}
    </>
  );
}
