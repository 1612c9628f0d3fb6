import {
  Alert,
  Button,
  Center,
  Group,
  Paper,
  PasswordInput,
  Radio,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'react-router';
import { signIn, signUp } from '../api/calls.js';
import { ApiError } from '../api/request.js';
import type { User } from '../api/types.js';
import { Refused } from '../parts/failure.js';
import { ColorScheme } from '../parts/shell.js';
import { useTitle } from '../parts/title.js';
import { begin } from '../session.js';

export function SignIn() {
  useTitle('Sign in');
  const { search } = useLocation();
  const client = useQueryClient();
  const form = useForm({ initialValues: { email: '', password: '' } });
  const enter = useMutation({
    mutationFn: signIn,
    onSuccess: (user) => begin(client, user),
    onError: (error) => form.setErrors(error instanceof ApiError ? error.fields : {}),
  });
  return (
    <Door
      title="Sign in"
      other={
        <>
          New here? <Link to={{ pathname: '/sign-up', search }}>Create an account</Link>
        </>
      }
    >
      {search.includes('next=') && (
        <Alert variant="light" color="gray" p="sm" role="status">
          <Text size="sm">Sign in to go on where you were.</Text>
        </Alert>
      )}
      <form onSubmit={form.onSubmit((values) => enter.mutate(values))} noValidate>
        <Stack>
          <TextInput
            label="E-mail"
            type="email"
            autoComplete="username"
            autoFocus
            required
            {...form.getInputProps('email')}
          />
          <Password label="Password" autoComplete="current-password" {...form.getInputProps('password')} />
          {enter.error && !hasFields(enter.error) && <Refused error={enter.error} />}
          <Button type="submit" loading={enter.isPending}>
            Sign in
          </Button>
        </Stack>
      </form>
    </Door>
  );
}

export function SignUp() {
  useTitle('Create an account');
  const { search } = useLocation();
  const client = useQueryClient();
  const form = useForm({
    initialValues: { email: '', password: '', accountType: 'developer' as User['accountType'] },
  });
  const enter = useMutation({
    mutationFn: signUp,
    onSuccess: (user) => begin(client, user),
    onError: (error) => {
      if (!(error instanceof ApiError)) return;
      form.setErrors(error.code === 'EMAIL_ALREADY_REGISTERED' ? { email: error.message } : error.fields);
    },
  });
  const isAtField = enter.error instanceof ApiError && (hasFields(enter.error) || enter.error.status === 409);
  return (
    <Door
      title="Create an account"
      other={
        <>
          Have one already? <Link to={{ pathname: '/sign-in', search }}>Sign in</Link>
        </>
      }
    >
      <form onSubmit={form.onSubmit((values) => enter.mutate(values))} noValidate>
        <Stack>
          <TextInput
            label="E-mail"
            type="email"
            autoComplete="username"
            autoFocus
            required
            {...form.getInputProps('email')}
          />
          <Password
            label="Password"
            description="At least 6 characters"
            autoComplete="new-password"
            {...form.getInputProps('password')}
          />
          <Radio.Group label="What is it for?" {...form.getInputProps('accountType')}>
            <Group mt={6} gap="lg">
              <Radio value="developer" label="Developer" />
              <Radio value="business" label="Business" />
            </Group>
          </Radio.Group>
          {enter.error && !isAtField && <Refused error={enter.error} />}
          <Button type="submit" loading={enter.isPending}>
            Create account
          </Button>
        </Stack>
      </form>
    </Door>
  );
}

type PasswordProps = React.ComponentProps<typeof PasswordInput>;

function Password(props: PasswordProps) {
  return (
    <PasswordInput
      required
      visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password', tabIndex: 0 }}
      {...props}
    />
  );
}

function hasFields(error: unknown): boolean {
  return error instanceof ApiError && Object.keys(error.fields).length > 0;
}

function Door({ title, other, children }: { title: string; other: ReactNode; children: ReactNode }) {
  return (
    <Center mih="100dvh" p="md" component="main">
      <Stack w="100%" maw={400} gap="lg">
        <Group justify="space-between">
          <Group gap={10}>
            <img src="/favicon.svg" width={32} height={32} alt="" />
            <Text fw={700} size="lg">
              Agent wallets
            </Text>
          </Group>
          <ColorScheme />
        </Group>
        <Paper withBorder p="lg">
          <Stack>
            <Title order={1}>{title}</Title>
            {children}
          </Stack>
        </Paper>
        <Text size="sm" ta="center">
          {other}
        </Text>
      </Stack>
    </Center>
  );
}
