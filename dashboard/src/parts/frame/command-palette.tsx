import '@mantine/core/styles/Mark.css';
import '@mantine/spotlight/styles.css';
import { useMantineColorScheme } from '@mantine/core';
import { Spotlight, spotlight, type SpotlightActionGroupData } from '@mantine/spotlight';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useNavigate } from 'react-router';
import { walletNamesQuery } from '../../api/wallet-list.js';
import { STOPPED } from '../../wallet/wallet-status.js';
import { useSignOut } from '../session/use-sign-out.js';
import {
  LeaveIcon,
  ListIcon,
  MoonIcon,
  PlusIcon,
  SearchIcon,
  SettingsIcon,
  WalletIcon,
} from '../display/icons.js';
import { EXTERNAL, SCREENS } from './screens.js';

/** Leads anywhere by typing: opened by Ctrl-K or Cmd-K, and again each time `uses` changes. */
export default function CommandPalette({ uses }: { uses: number }) {
  const navigate = useNavigate();
  const leave = useSignOut();
  const { toggleColorScheme } = useMantineColorScheme();
  const { data: wallets = [] } = useQuery(walletNamesQuery);
  useEffect(() => spotlight.open(), [uses]);
  const go = (to: string) => () => void navigate(to);
  const actions: SpotlightActionGroupData[] = [
    {
      group: 'Wallets',
      actions: wallets.map((wallet) => ({
        id: wallet.id,
        label: wallet.name,
        description: STOPPED[wallet.status]?.name,
        leftSection: <WalletIcon />,
        onClick: go(`/wallets/${wallet.id}`),
      })),
    },
    {
      group: 'Go to',
      actions: [
        ...SCREENS.map(({ to, name, icon }) => ({
          id: to,
          label: name,
          leftSection: icon,
          onClick: go(to),
        })),
        { id: 'members', label: 'Members', leftSection: <SettingsIcon />, onClick: go('/settings/members') },
        {
          id: 'activity',
          label: 'Activity log',
          leftSection: <ListIcon />,
          onClick: go('/settings/activity'),
        },
        ...EXTERNAL.map(({ href, name, icon }) => ({
          id: href,
          label: name,
          leftSection: icon,
          onClick: () => window.location.assign(href),
        })),
      ],
    },
    {
      group: 'Do',
      actions: [
        {
          id: 'new-wallet',
          label: 'Create a wallet',
          leftSection: <PlusIcon />,
          onClick: go('/wallets/new'),
        },
        {
          id: 'scheme',
          label: 'Switch between light and dark',
          leftSection: <MoonIcon />,
          onClick: () => toggleColorScheme(),
        },
        { id: 'sign-out', label: 'Sign out', leftSection: <LeaveIcon />, onClick: () => leave.mutate() },
      ],
    },
  ];
  return (
    <Spotlight
      actions={actions}
      shortcut={null}
      attributes={{ content: { 'aria-label': 'Search' } }}
      limit={12}
      scrollable
      maxHeight={420}
      highlightQuery
      nothingFound="Nothing found"
      searchProps={{
        leftSection: <SearchIcon />,
        placeholder: 'Search or jump to…',
        'aria-label': 'Search wallets, screens and actions',
      }}
    />
  );
}
