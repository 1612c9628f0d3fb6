import { Alert, Button, Group, Text } from '@mantine/core';
import { Link, type LinkProps } from 'react-router';
import { useAddress } from '../../parts/state/use-address.js';
import { keyOf, useUnstored } from '../../session/secrets.js';

/** A key that was shown once is still at hand; after a reload it is not. */
export function KeyNotStored({ walletId }: { walletId: string }) {
  const address = useAddress();
  const first = useUnstored(walletId);
  const later = useUnstored(keyOf(walletId));
  if (first) return <Said to={`/wallets/${walletId}/created`} />;
  return later && address.get('tab') !== 'keys' ? <Said to={address.to({ tab: 'keys' })} /> : null;
}

function Said({ to }: Pick<LinkProps, 'to'>) {
  return (
    <Alert color="yellow" variant="light" title="Store this wallet’s API key">
      <Group justify="space-between" gap="sm">
        <Text size="sm">
          You haven’t confirmed that you stored it. It’s lost when this page is reloaded or closed.
        </Text>
        <Button component={Link} to={to} size="xs" variant="default">
          Show the key
        </Button>
      </Group>
    </Alert>
  );
}
