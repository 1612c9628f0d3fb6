import { Alert, Button, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useId } from 'react';
import { renewRecoveryCodes, twoFactor as readTwoFactor } from '../../api/account.js';
import { queryKeys } from '../../api/query-keys.js';
import { Answer } from '../../parts/loading/answer.js';
import { Card } from '../../parts/display/card.js';
import { Code } from '../../parts/display/copy.js';
import { Refused } from '../../parts/loading/failure.js';
import { BlocksLoading } from '../../parts/loading/loading.js';
import { Tag } from '../../parts/display/tag.js';
import { holdUntilStored, markStored, useUnstored } from '../../session/secrets.js';
import { useHasTwoFactor } from '../../session/session.js';
import { AppInUse, NewApp } from './authenticator-app.js';
import { Passkeys } from './passkeys.js';

/** Under what fresh recovery codes are held until they are stored. */
const CODES = 'recovery-codes';

const ON =
  'A second factor is asked for when you sign in, when money leaves a wallet and when a rule is loosened.';
const OFF =
  'Without a second factor, whoever learns your password can approve payments, raise limits, make keys and withdraw ' +
  'your money. With one, each of these asks for it, as signing in does.';

/** A second proof at sign-in and for what moves money out. */
export function TwoFactor() {
  const client = useQueryClient();
  const codes = useUnstored(CODES);
  const query = useQuery({ queryKey: queryKeys.twoFactor, queryFn: readTwoFactor });
  const isKnown = query.data?.enabled === useHasTwoFactor();
  // Codes are shown once: nothing else takes their place before they are stored.
  const isNews = query.data !== undefined && !isKnown && codes === undefined;
  useEffect(() => {
    if (isNews) void client.invalidateQueries({ queryKey: queryKeys.session });
  }, [client, isNews]);
  const show = (fresh: readonly string[]) => {
    holdUntilStored(CODES, fresh.join('\n'));
    void client.invalidateQueries({ queryKey: queryKeys.twoFactor });
  };
  return (
    <Card
      title="Two-factor authentication"
      aside={
        query.data && (
          <Tag tone={query.data.enabled ? 'good' : 'wait'}>{query.data.enabled ? 'On' : 'Off'}</Tag>
        )
      }
    >
      <Answer of={query} what="Two-factor authentication" loading={<BlocksLoading heights={[420]} />}>
        {({ enabled, hasApp, recoveryCodesLeft }) => (
          <Stack>
            {codes && <RecoveryCodes codes={codes} />}
            <Text size="sm">{enabled ? ON : OFF}</Text>
            <Factor
              name="Passkeys"
              protects="Your phone, laptop or security key proves that it’s you by fingerprint, face or PIN. A phishing site gets nothing out of it."
              without="Without one, a phishing site can ask you for your password and a code, and use both at once."
            >
              <Passkeys onCodes={show} />
            </Factor>
            <Factor
              name="Authenticator app"
              protects="A code that changes every 30 seconds keeps out whoever has your password alone."
              without="Without it or a passkey, your password opens everything."
            >
              {hasApp ? <AppInUse /> : <NewApp onCodes={show} />}
            </Factor>
            {enabled && (
              <Factor
                name={`Recovery codes: ${recoveryCodesLeft} left`}
                protects="Each takes the place of a lost device once."
                without="Without them, losing your only device locks you out."
              >
                <Renew onCodes={show} />
              </Factor>
            )}
            <Text size="xs" c="dimmed">
              Codes by SMS aren’t offered: whoever takes over your phone number gets them.
            </Text>
          </Stack>
        )}
      </Answer>
    </Card>
  );
}

function RecoveryCodes({ codes }: { codes: string }) {
  return (
    <Alert color="yellow" variant="light" title="Recovery codes">
      <Stack gap="sm">
        <Text size="sm">
          Each signs you in once without your device. Store them in your secrets manager; you won’t see them
          again.
        </Text>
        <Code value={codes} name="recovery codes" />
        <Button size="xs" style={{ alignSelf: 'flex-start' }} onClick={() => markStored(CODES)}>
          I’ve stored them
        </Button>
      </Stack>
    </Alert>
  );
}

/** One factor, with what it keeps out and what gets in without it. */
function Factor({
  name,
  protects,
  without,
  children,
}: {
  name: string;
  protects: string;
  without: string;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <Stack component="section" gap="xs" aria-labelledby={id}>
      <Title order={3} fz="sm" id={id}>
        {name}
      </Title>
      <Text size="sm" c="dimmed">
        {protects} {without}
      </Text>
      {children}
    </Stack>
  );
}

function Renew({ onCodes }: { onCodes: (codes: readonly string[]) => void }) {
  const renewing = useMutation({ mutationFn: renewRecoveryCodes, onSuccess: onCodes });
  return (
    <>
      <Refused error={renewing.error} />
      <Button
        size="xs"
        variant="default"
        style={{ alignSelf: 'flex-start' }}
        loading={renewing.isPending}
        onClick={() => renewing.mutate()}
      >
        New recovery codes
      </Button>
    </>
  );
}
