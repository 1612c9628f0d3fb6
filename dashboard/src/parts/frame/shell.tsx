import { AppShell, Box, Burger, Button, Group, Kbd, NavLink, Text, VisuallyHidden } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'react-router';
import { useNotificationClicks } from '../../push/clicks.js';
import { useLeaveWarning } from '../../session/secrets.js';
import { AccountButton } from './account-button.js';
import { OnDemand } from '../loading/boundary.js';
import { ColorScheme } from './color-scheme.js';
import { SearchIcon } from '../display/icons.js';
import { SandboxTag } from '../display/sandbox.js';
import { useQuery } from '@tanstack/react-query';
import { countWaiting } from '../../api/approvals.js';
import { queryKeys } from '../../api/query-keys.js';
import { overview } from '../../live/poll-intervals.js';
import { FrozenAll } from '../../screens/controls/frozen-all.js';
import { loadable } from '../loading/loadable.js';
import { Logo } from './logo.js';
import { EXTERNAL, SCREENS } from './screens.js';
import { SecondFactorPrompt } from '../session/second-factor-prompt.js';
import { Stale } from './stale.js';
import { ToastPlace } from '../toasts/toast-place.js';

const AccountMenu = loadable(
  () => import('./account-menu.js'),
  (part) => part.default,
);
const Bell = loadable(
  () => import('./bell.js'),
  (part) => part.default,
);
const CommandPalette = loadable(
  () => import('./command-palette.js'),
  (part) => part.default,
);

/** The frame around every screen of a signed-in user. */
export function Shell({ children }: { children: ReactNode }) {
  const [opened, { toggle, close }] = useDisclosure();
  const { pathname } = useLocation();
  useLeaveWarning();
  useNotificationClicks();
  const [searches, setSearches] = useState(0);
  const search = () => setSearches((before) => before + 1);
  useHotkeys([['mod+K', search]], []);
  const shown = useRef(pathname);
  useEffect(() => {
    // Scrolling has all of the page laid out at once.
    if (shown.current === pathname) return;
    shown.current = pathname;
    close();
    window.scrollTo(0, 0);
  }, [pathname, close]);
  return (
    <AppShell
      layout="alt"
      header={{ height: 56 }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={{ base: 'md', sm: 'xl' }}
    >
      <a className="skip" href="#main">
        Skip to content
      </a>
      <AppShell.Header className="frame-header">
        <Box h="100%" px={{ base: 'md', sm: 'xl' }}>
          <Group h="100%" className="content" justify="space-between" wrap="nowrap">
            <Group gap="xs" wrap="nowrap" flex="none">
              <Burger
                opened={opened}
                onClick={toggle}
                hiddenFrom="sm"
                size="sm"
                aria-label={opened ? 'Close the menu' : 'Open the menu'}
                aria-expanded={opened}
              />
              <Link to="/" className="plain mantine-hidden-from-sm">
                <Logo />
              </Link>
              <SearchButton onClick={search} />
              <SandboxTag />
            </Group>
            <Group gap={4} wrap="nowrap" miw={0}>
              <Box w={34}>
                <OnDemand onFailed={() => undefined}>
                  <Bell />
                </OnDemand>
              </Box>
              <ColorScheme />
              <Account />
            </Group>
          </Group>
        </Box>
      </AppShell.Header>
      <AppShell.Navbar p="sm" className="frame-nav" mod={{ shut: !opened }}>
        <Group h={44} px={10} mb="sm" justify="space-between">
          <Link to="/" className="plain">
            <Logo />
          </Link>
          <Burger opened onClick={close} hiddenFrom="sm" size="sm" aria-label="Close the menu" />
        </Group>
        <NavLink
          component="button"
          hiddenFrom="sm"
          label="Search"
          leftSection={<SearchIcon />}
          className="frame-link"
          onClick={() => {
            close();
            search();
          }}
        />
        <nav aria-label="Main">
          {SCREENS.map(({ to, name, icon, isHere }) => (
            <NavLink
              key={to}
              component={Link}
              to={to}
              label={name}
              leftSection={icon}
              rightSection={to === '/approvals' && <WaitingCount />}
              active={isHere(pathname)}
              fw={isHere(pathname) ? 600 : 400}
              aria-current={isHere(pathname) ? 'page' : undefined}
              className="frame-link"
            />
          ))}
          {EXTERNAL.map(({ href, name, icon }) => (
            <NavLink key={href} href={href} label={name} leftSection={icon} className="frame-link" />
          ))}
        </nav>
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1} style={{ outline: 'none' }}>
        <div className="content">
          <FrozenAll />
          {children}
        </div>
        <Stale />
        <ToastPlace />
        <SecondFactorPrompt />
        {/* The command palette is loaded with its first use. */}
        {searches > 0 && (
          <OnDemand onFailed={() => setSearches(0)}>
            <CommandPalette uses={searches} />
          </OnDemand>
        )}
      </AppShell.Main>
    </AppShell>
  );
}

function WaitingCount() {
  const { data } = useQuery({
    queryKey: queryKeys.approvalCount,
    queryFn: countWaiting,
    refetchInterval: overview,
  });
  if (!data) return null;
  return (
    <span className="count">
      {data}
      <VisuallyHidden> waiting</VisuallyHidden>
    </span>
  );
}

const SEARCH_KEYS = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K';

function SearchButton({ onClick }: { onClick: () => void }) {
  return (
    <Button
      variant="default"
      size="xs"
      h={34}
      visibleFrom="sm"
      className="search-button"
      justify="space-between"
      rightSection={
        <Kbd size="xs" aria-hidden>
          {SEARCH_KEYS}
        </Kbd>
      }
      onClick={onClick}
      aria-keyshortcuts="Control+K Meta+K"
    >
      <Group gap={8} c="dimmed" component="span">
        <SearchIcon size={15} />
        <Text size="sm" span>
          Search
        </Text>
      </Group>
    </Button>
  );
}

/** The menu of the account is loaded with its first use. */
function Account() {
  const [isUsed, setIsUsed] = useState(false);
  if (!isUsed) return <AccountButton onClick={() => setIsUsed(true)} />;
  return (
    <OnDemand fallback={<AccountButton />} onFailed={() => setIsUsed(false)}>
      <AccountMenu />
    </OnDemand>
  );
}
