import { Button, Group, Radio, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from 'react-router';
import { signUp } from '../../api/calls.js';
import type { User } from '../../api/types.js';
import { Refused } from '../../parts/failure.js';
import { useSending } from '../../parts/sending.js';
import { useTitle } from '../../parts/title.js';
import { begin } from '../../session.js';
import { Credentials } from './credentials.js';
import { Frame } from './frame.js';

export function SignUp() {
  useTitle('Create an account');
  const { search } = useLocation();
  const client = useQueryClient();
  const form = useForm({
    initialValues: { email: '', password: '', accountType: 'developer' as User['accountType'] },
  });
  const entering = useSending(form, signUp, {
    fieldOf: { EMAIL_ALREADY_REGISTERED: 'email' },
    onSuccess: (user) => begin(client, user),
  });
  return (
    <Frame
      title="Create an account"
      other={
        <>
          Have one already? <Link to={{ pathname: '/sign-in', search }}>Sign in</Link>
        </>
      }
    >
      <form onSubmit={entering.submit} noValidate>
        <Stack>
          <Credentials form={form} isNew />
          <Radio.Group label="What is it for?" {...form.getInputProps('accountType')}>
            <Group mt={6} gap="lg">
              <Radio value="developer" label="Developer" />
              <Radio value="business" label="Business" />
            </Group>
          </Radio.Group>
          <Refused error={entering.refusal} />
          <Button type="submit" loading={entering.isPending}>
            Create account
          </Button>
        </Stack>
      </form>
    </Frame>
  );
}
