import '@mantine/core/styles/Tabs.css';
import { Button, Group, Stack, Tabs, Text, Title, useMantineColorScheme } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Card } from '../../parts/display/card.js';
import { Choice } from '../../parts/forms/choice.js';
import { useTitle } from '../../parts/frame/title.js';
import { useAddress } from '../../parts/state/use-address.js';
import { Business } from './business.js';
import { NotificationSettings } from './notification-settings.js';
import { Password } from './password.js';
import { Sessions } from './sessions.js';
import { TwoFactor } from './two-factor.js';

const TABS = {
  account: { name: 'Account', content: () => <Account /> },
  notifications: { name: 'Notifications', content: () => <NotificationSettings /> },
} as const satisfies Record<string, { readonly name: string; readonly content: () => ReactNode }>;

type TabName = keyof typeof TABS;
const NAMES = Object.keys(TABS) as [TabName, ...TabName[]];

export function Settings() {
  useTitle('Settings');
  const address = useAddress();
  const open = address.oneOf('tab', NAMES);
  return (
    <Stack gap="lg">
      <Group justify="space-between">
        <Title order={1}>Settings</Title>
        <Group gap="xs">
          <Button variant="default" component={Link} to="/settings/members">
            Members
          </Button>
          <Button variant="default" component={Link} to="/settings/activity">
            Activity log
          </Button>
        </Group>
      </Group>
      <Tabs
        value={open}
        keepMounted={false}
        onChange={(value) => address.set({ tab: value === NAMES[0] ? null : value })}
      >
        <Tabs.List mb="lg" className="tabs-list">
          {NAMES.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {TABS[name].name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={open}>
          <div className="settings">{TABS[open].content()}</div>
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

function Account() {
  return (
    <>
      <Stack gap="lg">
        <Business />
        <Password />
      </Stack>
      <Stack gap="lg">
        <TwoFactor />
        <Sessions />
        <Appearance />
      </Stack>
    </>
  );
}

function Appearance() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Card title="Appearance">
      <Stack gap="xs" align="flex-start">
        <Text size="sm" c="dimmed">
          Applies to this browser.
        </Text>
        <Choice
          label="Theme"
          value={colorScheme}
          onChange={(value) => setColorScheme(value)}
          data={[
            { value: 'auto', label: 'System' },
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
          ]}
        />
      </Stack>
    </Card>
  );
}
