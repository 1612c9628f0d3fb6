import { AppShell, Burger, Button, Group, Menu, NavLink, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { Link, useLocation, useNavigate } from 'react-router';
import { signOut } from '../api/calls.js';
import { clearSession, useUser } from '../session.js';
import { ColorScheme } from './color-scheme.js';
import { Stale } from './stale.js';
import { BookIcon, BusinessIcon, HookIcon, WalletIcon } from './icons.js';

const SCREENS = [
  {
    to: '/',
    name: 'Wallets',
    icon: <WalletIcon />,
    isHere: (path: string) => path === '/' || path.startsWith('/wallets'),
  },
  {
    to: '/webhooks',
    name: 'Webhooks',
    icon: <HookIcon />,
    isHere: (path: string) => path.startsWith('/webhooks'),
  },
  {
    to: '/business',
    name: 'Business',
    icon: <BusinessIcon />,
    isHere: (path: string) => path === '/business',
  },
];

/** The frame around every screen of a signed-in user. */
export function Shell({ children }: { children: ReactNode }) {
  const [opened, { toggle, close }] = useDisclosure();
  const { pathname } = useLocation();
  useEffect(() => {
    close();
    window.scrollTo(0, 0);
  }, [pathname, close]);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={{ base: 'md', sm: 'lg' }}
    >
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="xs" wrap="nowrap" flex="none">
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={opened ? 'Close the menu' : 'Open the menu'}
              aria-expanded={opened}
            />
            <Link to="/" className="plain">
              <Group gap={8} wrap="nowrap">
                <img src="/favicon.svg" width={26} height={26} alt="" />
                <Text fw={700} style={{ whiteSpace: 'nowrap' }}>
                  Agent wallets
                </Text>
              </Group>
            </Link>
          </Group>
          <Group gap={4} wrap="nowrap" miw={0}>
            <ColorScheme />
            <Account />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm">
        <nav aria-label="Main">
          {SCREENS.map(({ to, name, icon, isHere }) => (
            <NavLink
              key={to}
              component={Link}
              to={to}
              label={name}
              leftSection={icon}
              active={isHere(pathname)}
              color="gray"
              fw={isHere(pathname) ? 600 : 400}
              aria-current={isHere(pathname) ? 'page' : undefined}
              style={{ borderRadius: 8 }}
            />
          ))}
          <NavLink
            href="/docs"
            label="API reference"
            leftSection={<BookIcon />}
            style={{ borderRadius: 8 }}
          />
        </nav>
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1} style={{ outline: 'none' }}>
        <div style={{ maxWidth: 1180, marginInline: 'auto' }}>{children}</div>
        <Stale />
      </AppShell.Main>
    </AppShell>
  );
}

function Account() {
  const user = useUser();
  const client = useQueryClient();
  const navigate = useNavigate();
  const leave = useMutation({
    mutationFn: signOut,
    onSettled: async () => {
      // Who signs in next starts at the beginning.
      await navigate('/');
      clearSession(client);
    },
  });
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <Button variant="subtle" color="gray" px="xs" miw={0} aria-label={`Account ${user.email}`}>
          <Text size="sm" truncate maw={{ base: 96, sm: 240 }} c="var(--mantine-color-text)">
            {user.email}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{user.accountType === 'business' ? 'Business account' : 'Developer account'}</Menu.Label>
        <Menu.Item component={Link} to="/business">
          Business details
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item onClick={() => leave.mutate()}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
