import '../../styles/details.css';
import { Alert, Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  confirmTwoFactor,
  renewRecoveryCodes,
  setUpTwoFactor,
  turnTwoFactorOff,
  twoFactor as readTwoFactor,
} from '../../api/account.js';
import { queryKeys } from '../../api/query-keys.js';
import { Answer } from '../../parts/loading/answer.js';
import { OnDemand } from '../../parts/loading/boundary.js';
import { loadable } from '../../parts/loading/loadable.js';
import { Card } from '../../parts/display/card.js';
import { Code } from '../../parts/display/copy.js';
import { Refused } from '../../parts/loading/failure.js';
import { BlocksLoading } from '../../parts/loading/loading.js';
import { useSending } from '../../parts/forms/sending.js';
import { Tag } from '../../parts/display/tag.js';
import { toast } from '../../parts/toasts/toasts.js';
import { holdUntilStored, markStored, useUnstored } from '../../session/secrets.js';
import { codeProblem } from '../../text/validation.js';

const QrCode = loadable(
  () => import('./qr-code.js'),
  (part) => part.default,
);

/** Under what fresh recovery codes are held until they are stored. */
const CODES = 'recovery-codes';

/** A second proof at sign-in and for what moves money out. */
export function TwoFactor() {
  const client = useQueryClient();
  const codes = useUnstored(CODES);
  const query = useQuery({ queryKey: queryKeys.twoFactor, queryFn: readTwoFactor });
  const show = (fresh: readonly string[]) => {
    holdUntilStored(CODES, fresh.join('\n'));
    client.setQueryData(queryKeys.twoFactor, { enabled: true, recoveryCodesLeft: fresh.length });
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
      <Answer of={query} what="Two-factor authentication" loading={<BlocksLoading heights={[172]} />}>
        {({ enabled, recoveryCodesLeft }) => (
          <Stack>
            {codes && <RecoveryCodes codes={codes} />}
            {enabled ? <On left={recoveryCodesLeft} onCodes={show} /> : <Off onCodes={show} />}
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
          Each signs you in once without your phone. Store them in your secrets manager; you won’t see them
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

function On({ left, onCodes }: { left: number; onCodes: (codes: readonly string[]) => void }) {
  const client = useQueryClient();
  const renewing = useMutation({ mutationFn: renewRecoveryCodes, onSuccess: onCodes });
  const ending = useMutation({
    mutationFn: turnTwoFactorOff,
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: queryKeys.twoFactor });
      void toast({ tone: 'info', message: 'Two-factor authentication is off' });
    },
  });
  return (
    <>
      <Text size="sm">
        Codes are asked for when you sign in, when money leaves a wallet and when a rule gets looser. {left}{' '}
        recovery codes are left.
      </Text>
      <Refused error={renewing.error ?? ending.error} />
      <Group gap="xs">
        <Button size="xs" variant="default" loading={renewing.isPending} onClick={() => renewing.mutate()}>
          New recovery codes
        </Button>
        <Button size="xs" variant="default" loading={ending.isPending} onClick={() => ending.mutate()}>
          Turn off
        </Button>
      </Group>
    </>
  );
}

function Off({ onCodes }: { onCodes: (codes: readonly string[]) => void }) {
  const form = useForm({
    initialValues: { currentPassword: '' },
    validate: { currentPassword: (value) => (value ? null : 'Enter your current password') },
  });
  const setting = useSending(form, ({ currentPassword }) => setUpTwoFactor(currentPassword), {
    fieldOf: { WRONG_PASSWORD: 'currentPassword' },
    onSuccess: () => form.reset(),
  });
  if (setting.data) return <Confirm {...setting.data} onCodes={onCodes} />;
  return (
    <form noValidate onSubmit={setting.submit}>
      <Stack>
        <Text size="sm">
          Without it, whoever learns your password can approve payments, raise limits, make keys and withdraw
          your money. With it, each of these asks for a code of an authenticator app, as signing in does.
        </Text>
        <PasswordInput
          label="Your password"
          autoComplete="current-password"
          visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password', tabIndex: 0 }}
          {...form.getInputProps('currentPassword')}
        />
        <Refused error={setting.refusal} />
        <Button
          type="submit"
          variant="default"
          loading={setting.isPending}
          style={{ alignSelf: 'flex-start' }}
        >
          Set up
        </Button>
      </Stack>
    </form>
  );
}

function Confirm({
  secret,
  uri,
  onCodes,
}: {
  secret: string;
  uri: string;
  onCodes: (codes: readonly string[]) => void;
}) {
  const [typesKey, setTypesKey] = useState(false);
  const form = useForm({ initialValues: { code: '' }, validate: { code: codeProblem } });
  const confirming = useSending(form, ({ code }) => confirmTwoFactor(code.trim()), {
    fieldOf: { INVALID_TWO_FACTOR_CODE: 'code' },
    onSuccess: onCodes,
  });
  return (
    <form noValidate onSubmit={confirming.submit}>
      <Stack>
        <Text size="sm">
          Scan this with your authenticator app, or <a href={uri}>open it in the app</a> on this device.
        </Text>
        <OnDemand onFailed={() => setTypesKey(true)}>
          <QrCode text={uri} label="QR code of the key" />
        </OnDemand>
        <details className="fold" open={typesKey}>
          <summary>Type the key instead</summary>
          <Code value={secret} name="key" />
        </details>
        <TextInput
          label="Code from the app"
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={16}
          autoFocus
          {...form.getInputProps('code')}
        />
        <Refused error={confirming.refusal} />
        <Button type="submit" loading={confirming.isPending} style={{ alignSelf: 'flex-start' }}>
          Turn on
        </Button>
      </Stack>
    </form>
  );
}
