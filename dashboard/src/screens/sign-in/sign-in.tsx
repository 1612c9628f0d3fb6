import { Alert, Button, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'react-router';
import { signIn } from '../../api/calls.js';
import { ApiError } from '../../api/request.js';
import { OnDemand } from '../../parts/loading/boundary.js';
import { Refused } from '../../parts/loading/failure.js';
import { loadable } from '../../parts/loading/loadable.js';
import { useSending } from '../../parts/forms/sending.js';
import { useTitle } from '../../parts/frame/title.js';
import { begin } from '../../session/session.js';
import { emailProblem } from '../../text/validation.js';
import { Credentials } from './credentials.js';
import { Frame } from './frame.js';

const Passkey = loadable(
  () => import('./sign-in-passkey.js'),
  (part) => part.default,
);

export function SignIn() {
  useTitle('Sign in');
  const { search } = useLocation();
  const client = useQueryClient();
  const form = useForm({
    initialValues: { email: '', password: '', totpCode: '', passkey: '' },
    validate: {
      email: emailProblem,
      password: (value) => (value ? null : 'Enter your password'),
    },
  });
  const entering = useSending(
    form,
    ({ totpCode, passkey, ...rest }) =>
      signIn({ ...rest, totpCode: totpCode.trim() || null, passkey: passkey || null }),
    {
      fieldOf: { INVALID_TWO_FACTOR_CODE: 'totpCode' },
      onSuccess: (user) => begin(client, user),
    },
  );
  const { error } = entering;
  const code = error instanceof ApiError ? error.code : null;
  // Once it was asked for, it stays.
  const [isTwice, setIsTwice] = useState(false);
  if (code === 'TWO_FACTOR_REQUIRED' && !isTwice) setIsTwice(true);
  return (
    <Frame
      title="Sign in"
      other={
        <>
          New here? <Link to={{ pathname: '/sign-up', search }}>Create an account</Link>
          <br />
          <Link to="/forgot-password">Forgot your password?</Link>
        </>
      }
    >
      {search.includes('next=') && (
        <Alert variant="light" color="ink" p="sm" role="status">
          <Text size="sm">Sign in to continue.</Text>
        </Alert>
      )}
      <form onSubmit={entering.submit} noValidate>
        <Stack>
          <Credentials form={form} />
          {isTwice && (
            <TextInput
              label="Two-factor code"
              description="From your authenticator app, or a recovery code"
              autoComplete="one-time-code"
              autoFocus
              maxLength={64}
              {...form.getInputProps('totpCode')}
            />
          )}
          {isTwice && (
            <OnDemand onFailed={() => undefined}>
              <Passkey {...form.values} onProof={(passkey) => entering.mutate({ ...form.values, passkey })} />
            </OnDemand>
          )}
          {code !== 'TWO_FACTOR_REQUIRED' && <Refused error={entering.refusal} />}
          <Button type="submit" loading={entering.isPending}>
            Sign in
          </Button>
        </Stack>
      </form>
    </Frame>
  );
}
