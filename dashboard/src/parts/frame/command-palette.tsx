import '@mantine/core/styles/Mark.css';
import '@mantine/spotlight/styles.css';
import { useMantineColorScheme } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight, spotlight, type SpotlightActionData } from '@mantine/spotlight';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useNavigate } from 'react-router';
import { searchQuery } from '../../api/search.js';
import { totalsQuery, walletNamesQuery } from '../../api/wallet-list.js';
import { naira } from '../../money/money.js';
import { PAYMENT_STATUSES, type PaymentStatus } from '../../payments/status.js';
import FreezeAllDialog from '../../screens/controls/freeze-all-dialog.js';
import { dayAndTime } from '../../text/time.js';
import { roleName } from '../../session/permissions.js';
import { useMay, useUser } from '../../session/session.js';
import { STOPPED } from '../../wallet/wallet-status.js';
import { useSignOut } from '../session/use-sign-out.js';
import {
  FreezeIcon,
  LeaveIcon,
  ListIcon,
  MoonIcon,
  PlusIcon,
  SearchIcon,
  SettingsIcon,
  WalletIcon,
} from '../display/icons.js';
import { EXTERNAL, SCREENS } from './screens.js';

const PAUSE_MS = 200;

/** Finds anything by typing, and leads there: opened by Ctrl-K or Cmd-K, and again each time `uses` changes. */
export default function CommandPalette({ uses }: { uses: number }) {
  const navigate = useNavigate();
  const { isOperator } = useUser();
  const [typed, setTyped] = useState('');
  const [isFreezing, setIsFreezing] = useState(false);
  const { data: totals } = useQuery({ ...totalsQuery, enabled: isFreezing });
  useEffect(() => spotlight.open(), [uses]);
  const go = (to: string) => () => void navigate(to);
  const wallets = useWallets(go);
  const funding = useFunding(typed, go);
  const { groups, isSearching } = useFound(typed, go);
  const actions = useActions(go, () => setIsFreezing(true));
  useEffect(selectFirst, [groups]);
  return (
    <>
      <Spotlight
        query={typed}
        onQueryChange={setTyped}
        actions={[
          { group: 'Wallets', actions: wallets },
          ...groups,
          {
            group: 'Go to',
            actions: [
              ...SCREENS.map(({ to, name, icon }) => ({
                id: to,
                label: name,
                leftSection: icon,
                onClick: go(to),
              })),
              ...(isOperator
                ? [
                    {
                      id: 'operator',
                      label: 'Operators',
                      leftSection: <SearchIcon />,
                      onClick: go('/operator'),
                    },
                  ]
                : []),
              ...EXTERNAL.map(({ href, name, icon }) => ({
                id: href,
                label: name,
                leftSection: icon,
                onClick: () => window.location.assign(href),
              })),
            ],
          },
          { group: 'Do', actions: [...actions, ...funding] },
        ]}
        shortcut={null}
        overlayProps={{ backgroundOpacity: 0.35, blur: 0 }}
        attributes={{ content: { 'aria-label': 'Search' } }}
        limit={30}
        scrollable
        maxHeight={420}
        highlightQuery
        nothingFound={isSearching ? 'Searching…' : 'Nothing found'}
        searchProps={{
          leftSection: <SearchIcon />,
          placeholder: 'Search or go to…',
          'aria-label': 'Search wallets, payments, keys, payees, people and actions',
        }}
      />
      <FreezeAllDialog
        active={totals?.active ?? 0}
        opened={isFreezing}
        onClose={() => setIsFreezing(false)}
      />
    </>
  );
}

/** Selects the first of results that come behind the typing: Mantine selects none, and Enter would do nothing. */
function selectFirst(): void {
  const list = document.querySelector('.mantine-Spotlight-actionsList');
  if (!list?.querySelector('[data-selected]'))
    list?.querySelector('[data-action]')?.setAttribute('data-selected', 'true');
}

type Go = (to: string) => () => void;

function useWallets(go: Go): SpotlightActionData[] {
  const { data: wallets = [] } = useQuery(walletNamesQuery);
  return wallets.map(({ id, name, status }) => ({
    id,
    label: name,
    description: STOPPED[status]?.name,
    keywords: [id],
    leftSection: <WalletIcon />,
    onClick: go(`/wallets/${id}`),
  }));
}

/** Only once asked for: there are as many as wallets. */
function useFunding(typed: string, go: Go): SpotlightActionData[] {
  const { data: wallets = [] } = useQuery(walletNamesQuery);
  const [word = ''] = typed.trim().toLowerCase().split(/\s/);
  if (word.length < 2 || !'fund'.startsWith(word)) return [];
  return wallets
    .filter(({ status }) => status !== 'CLOSED')
    .map(({ id, name }) => ({
      id: `fund ${id}`,
      label: `Fund ${name}`,
      leftSection: <PlusIcon />,
      onClick: go(`/wallets/${id}?fund=open`),
    }));
}

/** Results of the API, shown whatever their labels say. */
function useFound(typed: string, go: Go) {
  const [sought] = useDebouncedValue(typed, PAUSE_MS);
  const { data: found, isFetching } = useQuery(searchQuery(sought));
  const words = typed.trim();
  // Enter opens the first: results of what was typed before are none.
  if (words === '' || !found || sought !== typed)
    return { groups: [], isSearching: isFetching || sought !== typed };
  const keywords = [typed];
  const { payments, keys, payees, members } = found;
  const all = new URLSearchParams({ search: words }).toString();
  const groups = [
    {
      group: 'Payments',
      actions: [
        ...payments.map(({ id, walletId, walletName, merchantName, amount, status, createdAt }) => ({
          id,
          label: `${naira(amount)} to ${merchantName}`,
          description: `${PAYMENT_STATUSES[status as PaymentStatus].name} · ${dayAndTime(createdAt)} · ${walletName}`,
          keywords,
          leftSection: <ListIcon />,
          onClick: go(`/payments?transaction=${id}&of=${walletId}`),
        })),
        ...(payments.length > 0
          ? [
              {
                id: 'all-payments',
                label: `All payments that match “${words}”`,
                keywords,
                leftSection: <SearchIcon />,
                onClick: go(`/payments?${all}`),
              },
            ]
          : []),
      ],
    },
    {
      group: 'Keys',
      actions: keys.map(({ id, name, prefix, isRevoked, walletId, walletName }) => ({
        id,
        label: name ?? 'First key',
        description: `${prefix}… · ${walletName}${isRevoked ? ' · revoked' : ''}`,
        keywords,
        leftSection: <WalletIcon />,
        onClick: go(isRevoked ? `/payments?key=${id}` : `/wallets/${walletId}?tab=keys`),
      })),
    },
    {
      group: 'Payees',
      actions: payees.map(({ id, walletId, walletName, merchantName, accountName, accountNumber }) => ({
        id,
        label: merchantName,
        description: `${accountName ?? 'Account'} ${accountNumber} · ${walletName}`,
        keywords,
        leftSection: <WalletIcon />,
        onClick: go(`/wallets/${walletId}?tab=payees`),
      })),
    },
    {
      group: 'People',
      actions: members.map(({ userId, email, role }) => ({
        id: userId,
        label: email,
        description: roleName(role),
        keywords,
        leftSection: <SettingsIcon />,
        onClick: go('/settings/members'),
      })),
    },
  ].filter(({ actions }) => actions.length > 0);
  return { groups, isSearching: isFetching };
}

function useActions(go: Go, freeze: () => void): SpotlightActionData[] {
  const leave = useSignOut();
  const { toggleColorScheme } = useMantineColorScheme();
  const actions = [
    {
      id: 'new-wallet',
      label: 'New wallet',
      leftSection: <PlusIcon />,
      onClick: go('/wallets/new'),
      isAllowed: useMay('wallets.create'),
    },
    {
      id: 'freeze-all',
      label: 'Freeze all wallets',
      keywords: ['stop', 'suspend', 'emergency'],
      leftSection: <FreezeIcon />,
      onClick: freeze,
      isAllowed: useMay('wallets.suspend'),
    },
    {
      id: 'scheme',
      label: 'Switch between light and dark',
      leftSection: <MoonIcon />,
      onClick: () => toggleColorScheme(),
      isAllowed: true,
    },
    {
      id: 'sign-out',
      label: 'Sign out',
      leftSection: <LeaveIcon />,
      onClick: () => leave.mutate(),
      isAllowed: true,
    },
  ];
  return actions.filter(({ isAllowed }) => isAllowed).map(({ isAllowed: _, ...action }) => action);
}
