import '@mantine/core/styles/Tabs.css';
import { Stack, Tabs } from '@mantine/core';
import { memo, Suspense, useEffect, useRef } from 'react';
import type { WalletDetails } from '../../api/types.js';
import { useAddress } from '../../parts/state/use-address.js';
import { InSteps } from '../../parts/forms/in-steps.js';
import { ChartCard } from '../../parts/money/chart-card.js';
import { BlocksLoading } from '../../parts/loading/loading.js';
import { loadable } from '../../parts/loading/loadable.js';
import { LIST_PARAMETERS } from '../../payments/payment-filters.js';
import { PaymentList } from '../payments/payment-list.js';
import { LimitFacts } from './hero.js';
import { loadOtherTab } from './loaded-later.js';

const OtherTab = loadable(loadOtherTab, (part) => part.default);

interface Props {
  walletId: string;
  details: WalletDetails | undefined;
}

const TABS = {
  overview: 'Overview',
  ledger: 'Ledger',
  keys: 'Keys',
  payees: 'Payees',
  rules: 'Rules',
  activity: 'Changes',
} as const;

type TabName = keyof typeof TABS;
const NAMES = Object.keys(TABS) as [TabName, ...TabName[]];

const TAB_MARGIN = 48;

/** A page and a filter are those of one tab. */
const OF_ONE_TAB = Object.fromEntries(
  ['trial', 'range', 'type', ...LIST_PARAMETERS].map((name) => [name, null]),
);

function Overview({ walletId, details }: Props) {
  return (
    <Stack gap="lg">
      <InSteps>
        <>
          <LimitFacts wallet={details?.wallet} />
          <ChartCard walletId={walletId} />
        </>
        <PaymentList title="Payments" walletId={walletId} />
      </InSteps>
    </Stack>
  );
}

/** Everything of a wallet beyond its balance; the address says which is open. */
export const WalletTabs = memo(function WalletTabs(props: Props) {
  const address = useAddress();
  const open = address.oneOf('tab', NAMES);
  const list = useRef<HTMLDivElement>(null);
  // Scrolls the open tab into view, in the next frame.
  useEffect(() => {
    const show = () => {
      const tab = list.current?.querySelector<HTMLElement>('[aria-selected=true]');
      if (list.current && tab) list.current.scrollLeft = tab.offsetLeft - TAB_MARGIN;
    };
    const frame = requestAnimationFrame(show);
    // A phone that is turned.
    window.addEventListener('resize', show);
    return () => {
      cancelAnimationFrame(frame);
      window.removeEventListener('resize', show);
    };
  }, [open]);
  return (
    <Tabs
      value={open}
      keepMounted={false}
      onChange={(value) => address.set({ ...OF_ONE_TAB, tab: value === NAMES[0] ? null : value })}
    >
      <Tabs.List mb="md" className="tabs-list" ref={list}>
        {NAMES.map((name) => (
          <Tabs.Tab key={name} value={name}>
            {TABS[name]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={open}>
        {open === 'overview' ? (
          <Overview {...props} />
        ) : (
          <Suspense fallback={<BlocksLoading heights={[200]} />}>
            <OtherTab name={open} {...props} />
          </Suspense>
        )}
      </Tabs.Panel>
    </Tabs>
  );
});
