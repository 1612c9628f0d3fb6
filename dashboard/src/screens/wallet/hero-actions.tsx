import { ActionIcon, Button, Menu } from '@mantine/core';
import { Suspense, useState } from 'react';
import type { WalletDetails } from '../../api/types.js';
import { spendable } from '../../money/money.js';
import { ArrowUpIcon, FreezeIcon, MoreIcon, PlayIcon, PlusIcon } from '../../parts/display/icons.js';
import { useKeptState } from '../../parts/state/kept.js';
import { useAddress } from '../../parts/state/use-address.js';
import { useFreeze } from '../controls/use-change.js';
import { loadable } from '../../parts/loading/loadable.js';
import type { HeroDialog } from './hero-dialogs.js';
import { loadHeroDialogs } from './loaded-later.js';
import { Allowed } from '../../parts/session/allowed.js';
import { useMay } from '../../session/session.js';
import { refusalOf } from '../../session/permissions.js';

const HeroDialogs = loadable(loadHeroDialogs, (part) => part.default);

export function HeroActions({ details }: { details: WalletDetails }) {
  const { wallet } = details;
  const address = useAddress();
  const [open, setOpen] = useKeptState<HeroDialog | null>(`dialog of ${wallet.id}`, null);
  const close = () => setOpen(null);
  const [hasOpened, setHasOpened] = useState(false);
  if (!hasOpened && (open !== null || address.get('fund') !== null)) setHasOpened(true);
  const available = spendable(wallet);
  const mayMove = useMay('money.move');
  const isClosed = wallet.status === 'CLOSED';
  return (
    <>
      {!isClosed && (
        <Button onClick={() => address.set({ fund: 'open' })} leftSection={<PlusIcon size={16} />}>
          Fund
        </Button>
      )}
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
      {hasOpened && (
        <Suspense>
          <HeroDialogs details={details} open={open} onClose={close} />
        </Suspense>
      )}
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
