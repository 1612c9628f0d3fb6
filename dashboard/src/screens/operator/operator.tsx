import './operator.css';
import { Stack, Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link, Route, Routes, useLocation } from 'react-router';
import { useTitle } from '../../parts/frame/title.js';
import { Case } from './case.js';
import { Cases } from './cases.js';
import { Find } from './find.js';
import { Endpoints, Jobs, Payouts, Transfers } from './lists.js';
import { Record } from './record.js';

interface Tab {
  readonly path: string;
  readonly name: string;
  readonly screen: ReactNode;
}

const TABS: readonly Tab[] = [
  { path: '', name: 'Cases', screen: <Cases /> },
  { path: 'transfers', name: 'Inbound transfers', screen: <Transfers /> },
  { path: 'payouts', name: 'Payouts', screen: <Payouts /> },
  { path: 'jobs', name: 'Jobs', screen: <Jobs /> },
  { path: 'endpoints', name: 'Endpoints', screen: <Endpoints /> },
  { path: 'find', name: 'Users and wallets', screen: <Find /> },
  { path: 'record', name: 'Record', screen: <Record /> },
];

const TAB_MARGIN = 48;

/** The screens of operators. `nowhere` stands where no screen has the address. */
export function Operator({ nowhere }: { nowhere: ReactNode }) {
  useTitle('Operators');
  const { pathname } = useLocation();
  const isHere = (path: string) =>
    path === '' ? /^\/operator\/?(cases\/.*)?$/.test(pathname) : pathname === `/operator/${path}`;
  const nav = useRef<HTMLElement>(null);
  // Scrolls to the tab that is open, on a narrow screen.
  useEffect(() => {
    const here = nav.current?.querySelector<HTMLElement>('[aria-current]');
    if (nav.current && here) nav.current.scrollLeft = here.offsetLeft - nav.current.offsetLeft - TAB_MARGIN;
  }, [pathname]);
  return (
    <Routes>
      {[...TABS, { path: 'cases/:caseId', name: 'Case', screen: <Case /> }].map(({ path, screen }) => (
        <Route
          key={path}
          path={path}
          element={
            <Stack gap="lg">
              <Title order={1}>Operators</Title>
              <nav aria-label="Operators" className="operator-nav" ref={nav}>
                {TABS.map((tab) => (
                  <Link
                    key={tab.path}
                    to={`/operator${tab.path && `/${tab.path}`}`}
                    aria-current={isHere(tab.path) ? 'page' : undefined}
                  >
                    {tab.name}
                  </Link>
                ))}
              </nav>
              {screen}
            </Stack>
          }
        />
      ))}
      <Route path="*" element={nowhere} />
    </Routes>
  );
}
