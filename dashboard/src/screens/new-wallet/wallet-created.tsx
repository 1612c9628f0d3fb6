import { Alert, Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Link, Navigate, useParams } from 'react-router';
import { wallet as readWallet } from '../../api/calls.js';
import { queryKeys } from '../../api/query-keys.js';
import { Answer } from '../../parts/loading/answer.js';
import { Card } from '../../parts/display/card.js';
import { Code } from '../../parts/display/copy.js';
import { BlocksLoading } from '../../parts/loading/loading.js';
import { SandboxTag } from '../../parts/display/sandbox.js';
import { Snippets } from '../../parts/display/snippets.js';
import { useTitle } from '../../parts/frame/title.js';
import { markStored, useUnstored } from '../../session/secrets.js';

/** The new wallet's key, the one time it is shown; it stays here until it is said to be stored. */
export function WalletCreated() {
  const { walletId = '' } = useParams();
  const held = useUnstored(walletId);
  // Once stored, the key is still shown until one goes on.
  const [fullKey] = useState(held);
  const query = useQuery({ queryKey: queryKeys.wallet(walletId), queryFn: () => readWallet(walletId) });
  if (!fullKey) return <Navigate to={`/wallets/${walletId}`} replace />;
  return (
    <Answer of={query} what="This wallet" loading={<BlocksLoading heights={[36, 180, 320]} />}>
      {({ wallet }) => <Created wallet={wallet} fullKey={fullKey} />}
    </Answer>
  );
}

function Created({
  wallet,
  fullKey,
}: {
  wallet: Parameters<typeof Snippets>[0]['wallet'] & { name: string };
  fullKey: string;
}) {
  useTitle('Wallet created');
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <Stack gap="lg" maw={760}>
      <Title order={1} ref={heading} tabIndex={-1} style={{ outline: 'none' }} className="wrap">
        {wallet.name} is ready
      </Title>
      <Card
        title={
          <>
            API key <SandboxTag />
          </>
        }
      >
        <Stack gap="sm">
          <Alert color="yellow" variant="light" p="sm">
            <Text size="sm">Store it in your secrets manager; you won’t see it again.</Text>
          </Alert>
          <Code value={fullKey} name="API key" />
        </Stack>
      </Card>
      <Card title="Make a payment">
        <Snippets wallet={wallet} apiKey={fullKey} />
      </Card>
      <Group>
        <Button component={Link} to={`/wallets/${wallet.id}`} onClick={() => markStored(wallet.id)}>
          I’ve stored it, open the wallet
        </Button>
        <Button
          component={Link}
          to={`/wallets/${wallet.id}?fund=open`}
          variant="default"
          onClick={() => markStored(wallet.id)}
        >
          I’ve stored it, fund it
        </Button>
        <Anchor component={Link} to="/wallets/new" onClick={() => markStored(wallet.id)} size="sm">
          I’ve stored it, create another
        </Anchor>
      </Group>
    </Stack>
  );
}
