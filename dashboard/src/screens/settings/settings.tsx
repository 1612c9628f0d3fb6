import { Button, Group, Stack, Text, Title, useMantineColorScheme } from '@mantine/core';
import { Link } from 'react-router';
import { Card } from '../../parts/display/card.js';
import { Choice } from '../../parts/forms/choice.js';
import { useTitle } from '../../parts/frame/title.js';
import { Business } from './business.js';
import { NotificationSettings } from './notification-settings.js';
import { Password } from './password.js';
import { Sessions } from './sessions.js';
import { TwoFactor } from './two-factor.js';

export function Settings() {
  useTitle('Settings');
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
      <div className="settings">
        <Stack gap="lg">
          <Business />
          <Password />
          <NotificationSettings />
        </Stack>
        <Stack gap="lg">
          <TwoFactor />
          <Sessions />
          <Appearance />
        </Stack>
      </div>
    </Stack>
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
