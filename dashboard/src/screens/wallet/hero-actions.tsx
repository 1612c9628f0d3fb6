import { ActionIcon, Button, Menu } from '@mantine/core';
import type { WalletDetails } from '../../api/types.js';
import { spendable } from '../../money/money.js';
import { ArrowUpIcon, FreezeIcon, MoreIcon, PlayIcon } from '../../parts/display/icons.js';
import { useKeptState } from '../../parts/state/kept.js';
import { CloseWallet } from '../controls/close-wallet.js';
import { MoveMoney } from '../controls/move-money.js';
import { useFreeze } from '../controls/use-change.js';
import { Withdraw } from '../controls/withdraw.js';
import { Fund } from './fund.js';
import { Allowed } from '../../parts/session/allowed.js';
import { useMay } from '../../session/session.js';
import { refusalOf } from '../../session/permissions.js';

type Dialog = 'withdraw' | 'move' | 'close';

export function HeroActions({ details: { wallet, virtualAccount } }: { details: WalletDetails }) {
  const [open, setOpen] = useKeptState<Dialog | null>(`dialog of ${wallet.id}`, null);
  const close = () => setOpen(null);
  const available = spendable(wallet);
  const mayMove = useMay('money.move');
  const isClosed = wallet.status === 'CLOSED';
  return (
    <>
      {!isClosed && <Fund walletId={wallet.id} account={virtualAccount} />}
      <Allowed act="money.move">
        <Button
          variant="default"
          leftSection={<ArrowUpIcon size={16} />}
          disabled={available === 0}
          onClick={() => setOpen('withdraw')}
        >
          Withdraw
        </Button>
      </Allowed>
      {!isClosed && <Freeze wallet={wallet} />}
      <Menu position="bottom-end" width={200}>
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label="More actions">
            <MoreIcon />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {!mayMove && <Menu.Label>{refusalOf('money.move')}</Menu.Label>}
          <Menu.Item disabled={available === 0 || !mayMove} onClick={() => setOpen('move')}>
            Move to another wallet
          </Menu.Item>
          <Menu.Item className="destructive" disabled={isClosed || !mayMove} onClick={() => setOpen('close')}>
            Close wallet
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Withdraw wallet={wallet} opened={open === 'withdraw'} onClose={close} />
      <MoveMoney wallet={wallet} opened={open === 'move'} onClose={close} />
      <CloseWallet wallet={wallet} opened={open === 'close'} onClose={close} />
    </>
  );
}

/** One click stops the wallet, one lets it pay again. */
function Freeze({ wallet }: Pick<WalletDetails, 'wallet'>) {
  const { freeze, resume } = useFreeze(wallet);
  const isFrozen = wallet.status === 'SUSPENDED';
  return (
    <Allowed act={isFrozen ? 'wallets.change' : 'wallets.suspend'}>
      <Button
        variant="default"
        leftSection={isFrozen ? <PlayIcon size={16} /> : <FreezeIcon size={16} />}
        loading={freeze.isPending || resume.isPending}
        onClick={() => (isFrozen ? resume : freeze).mutate()}
      >
        {isFrozen ? 'Resume' : 'Freeze'}
      </Button>
    </Allowed>
  );
}
