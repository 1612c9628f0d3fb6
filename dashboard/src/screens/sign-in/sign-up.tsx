import '../../styles/fields.css';
import { Button, Group, Radio, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from 'react-router';
import { saveBusiness, signUp, whoIsSignedIn } from '../../api/calls.js';
import type { SignedIn, User } from '../../api/types.js';
import { Refused } from '../../parts/loading/failure.js';
import { useSending } from '../../parts/forms/sending.js';
import { useTitle } from '../../parts/frame/title.js';
import { toast } from '../../parts/toasts/toasts.js';
import { begin } from '../../session/session.js';
import { businessNameProblem, emailProblem, newPasswordProblem } from '../../text/validation.js';
import { messageOf } from '../../text/words.js';
import { Credentials } from './credentials.js';
import { Frame } from './frame.js';

interface Typed {
  email: string;
  password: string;
  accountType: User['accountType'];
  businessName: string;
}

/** Makes the account and, for a business, names it; an account whose business could not be named stays one. */
async function register({ businessName, ...account }: Typed): Promise<SignedIn | null> {
  const user = await signUp(account);
  if (account.accountType === 'business') {
    const details = { businessName: businessName.trim(), contactEmail: user.email, contactPhone: null };
    await saveBusiness(details).catch((error: unknown) =>
      toast({
        tone: 'bad',
        title: 'The name of your business wasn’t saved',
        message: `${messageOf(error)} Enter it under Settings.`,
      }),
    );
  }
  return whoIsSignedIn();
}

export function SignUp() {
  useTitle('Create an account');
  const { search } = useLocation();
  const client = useQueryClient();
  const form = useForm<Typed>({
    initialValues: { email: '', password: '', accountType: 'developer', businessName: '' },
    validate: {
      email: emailProblem,
      password: newPasswordProblem,
      businessName: (value, { accountType }) =>
        accountType === 'business' ? businessNameProblem(value) : null,
    },
  });
  const entering = useSending(form, register, {
    fieldOf: { EMAIL_ALREADY_REGISTERED: 'email' },
    onSuccess: (user) => begin(client, user),
  });
  return (
    <Frame
      title="Create an account"
      other={
        <>
          Already have one? <Link to={{ pathname: '/sign-in', search }}>Sign in</Link>
        </>
      }
    >
      <form onSubmit={entering.submit} noValidate>
        <Stack>
          <Credentials form={form} isNew />
          <Radio.Group label="Account type" {...form.getInputProps('accountType')}>
            <Group mt={6} gap="lg">
              <Radio value="developer" label="Developer" />
              <Radio value="business" label="Business" />
            </Group>
          </Radio.Group>
          {form.values.accountType === 'business' && (
            <TextInput
              label="Business name"
              autoComplete="organization"
              maxLength={200}
              required
              {...form.getInputProps('businessName')}
            />
          )}
          <Refused error={entering.refusal} />
          <Button type="submit" loading={entering.isPending}>
            Create account
          </Button>
        </Stack>
      </form>
    </Frame>
  );
}
