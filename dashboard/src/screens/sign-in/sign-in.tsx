import { Alert, Button, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from 'react-router';
import { signIn } from '../../api/calls.js';
import { Refused } from '../../parts/failure.js';
import { useSending } from '../../parts/sending.js';
import { useTitle } from '../../parts/title.js';
import { begin } from '../../session.js';
import { emailProblem } from '../../validation.js';
import { Credentials } from './credentials.js';
import { Frame } from './frame.js';

export function SignIn() {
  useTitle('Sign in');
  const { search } = useLocation();
  const client = useQueryClient();
  const form = useForm({
    initialValues: { email: '', password: '' },
    validate: {
      email: emailProblem,
      password: (value) => (value ? null : 'Enter your password'),
    },
  });
  const entering = useSending(form, signIn, { onSuccess: (user) => begin(client, user) });
  return (
    <Frame
      title="Sign in"
      other={
        <>
          New here? <Link to={{ pathname: '/sign-up', search }}>Create an account</Link>
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
          <Refused error={entering.refusal} />
          <Button type="submit" loading={entering.isPending}>
            Sign in
          </Button>
        </Stack>
      </form>
    </Frame>
  );
}
