import type { WalletDetails } from '../../api/types.js';
import { CloseWallet } from '../controls/close-wallet.js';
import { MoveMoney } from '../controls/move-money.js';
import { Withdraw } from '../controls/withdraw.js';
import { Fund } from './fund.js';

export type HeroDialog = 'withdraw' | 'move' | 'close';

interface Props {
  details: WalletDetails;
  open: HeroDialog | null;
  onClose: () => void;
}

/** Dialogs of the wallet's actions, loaded after the screen. */
export default function HeroDialogs({ details: { wallet, virtualAccount }, open, onClose }: Props) {
  return (
    <>
      {wallet.status !== 'CLOSED' && <Fund walletId={wallet.id} account={virtualAccount} />}
      <Withdraw wallet={wallet} opened={open === 'withdraw'} onClose={onClose} />
      <MoveMoney wallet={wallet} opened={open === 'move'} onClose={onClose} />
      <CloseWallet wallet={wallet} opened={open === 'close'} onClose={onClose} />
    </>
  );
}
