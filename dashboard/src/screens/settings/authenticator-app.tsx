import '../../styles/details.css';
import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { confirmTwoFactor, setUpTwoFactor, turnTwoFactorOff } from '../../api/account.js';
import { queryKeys } from '../../api/query-keys.js';
import { OnDemand } from '../../parts/loading/boundary.js';
import { loadable } from '../../parts/loading/loadable.js';
import { Code } from '../../parts/display/copy.js';
import { Refused } from '../../parts/loading/failure.js';
import { useSending } from '../../parts/forms/sending.js';
import { toast } from '../../parts/toasts/toasts.js';
import { codeProblem } from '../../text/validation.js';

const QrCode = loadable(
  () => import('./qr-code.js'),
  (part) => part.default,
);

/** Removes the app that is set up. */
export function AppInUse() {
  const client = useQueryClient();
  const ending = useMutation({
    mutationFn: turnTwoFactorOff,
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: queryKeys.twoFactor });
      void toast({ tone: 'info', message: 'The authenticator app is removed' });
    },
  });
  return (
    <>
      <Refused error={ending.error} />
      <Button
        size="xs"
        variant="default"
        style={{ alignSelf: 'flex-start' }}
        loading={ending.isPending}
        onClick={() => ending.mutate()}
      >
        Remove the app
      </Button>
    </>
  );
}

/** Sets an app up. */
export function NewApp({ onCodes }: { onCodes: (codes: readonly string[]) => void }) {
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
