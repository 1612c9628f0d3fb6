import { Alert, Button, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Link } from 'react-router';
import { requestPasswordReset } from '../../api/account.js';
import { Refused } from '../../parts/loading/failure.js';
import { useSending } from '../../parts/forms/sending.js';
import { useTitle } from '../../parts/frame/title.js';
import { emailProblem } from '../../text/validation.js';
import { Frame } from './frame.js';

/** Asks for a link that sets a new password. */
export function ForgotPassword() {
  useTitle('Reset your password');
  const form = useForm({ initialValues: { email: '' }, validate: { email: emailProblem } });
  const asking = useSending(form, ({ email }) => requestPasswordReset(email.trim()));
  return (
    <Frame title="Reset your password" other={<Link to="/sign-in">Back to sign in</Link>}>
      <form onSubmit={asking.submit} noValidate>
        <Stack>
          <TextInput
            label="Email"
            type="email"
            autoComplete="username"
            autoFocus
            required
            {...form.getInputProps('email')}
          />
          <Refused error={asking.refusal} />
          <div role="status" className="outcome">
            {asking.isSuccess && (
              <Alert variant="light" color="ink" p="sm">
                <Text size="sm">
                  If this email belongs to an account, a link is on its way. It works once, for 30 minutes.
                </Text>
              </Alert>
            )}
          </div>
          <Button type="submit" loading={asking.isPending}>
            Send link
          </Button>
        </Stack>
      </form>
    </Frame>
  );
}
