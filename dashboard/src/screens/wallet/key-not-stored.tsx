import { Alert, Button, Group, Text } from '@mantine/core';
import { Link } from 'react-router';
import { useUnstored } from '../../secrets.js';

/** A key that was shown once is still at hand; after a reload it is not. */
export function KeyNotStored({ walletId }: { walletId: string }) {
  if (!useUnstored(walletId)) return null;
  return (
    <Alert color="yellow" variant="light" title="Store this wallet’s API key">
      <Group justify="space-between" gap="sm">
        <Text size="sm">
          You haven’t said that you stored it. It’s lost when this page is reloaded or closed.
        </Text>
        <Button component={Link} to={`/wallets/${walletId}/created`} size="xs" variant="default">
          Show the key
        </Button>
      </Group>
    </Alert>
  );
}
