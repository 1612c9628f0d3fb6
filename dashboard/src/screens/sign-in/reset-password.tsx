import { Alert, Button, PasswordInput, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { Link } from 'react-router';
import { resetPassword } from '../../api/account.js';
import { Refused } from '../../parts/loading/failure.js';
import { useSending } from '../../parts/forms/sending.js';
import { useTitle } from '../../parts/frame/title.js';
import { newPasswordProblem } from '../../text/validation.js';
import { Frame } from './frame.js';

/** Sets a new password by the link of an email; its token stands behind the #, which no server sees. */
export function ResetPassword() {
  useTitle('Choose a new password');
  const [token] = useState(() => new URLSearchParams(window.location.hash.slice(1)).get('token') ?? '');
  const form = useForm({ initialValues: { newPassword: '' }, validate: { newPassword: newPasswordProblem } });
  const saving = useSending(form, ({ newPassword }) => resetPassword({ token, newPassword }));
  return (
    <Frame
      title="Choose a new password"
      other={
        <>
          <Link to="/sign-in">Sign in</Link>
          <br />
          <Link to="/forgot-password">Ask for another link</Link>
        </>
      }
    >
      {saving.isSuccess ? (
        <Alert variant="light" color="green" p="sm" role="status">
          <Text size="sm">
            Your password is changed, and all sessions are ended. Sign in with the new one.
          </Text>
        </Alert>
      ) : token === '' ? (
        <Alert variant="light" color="red" p="sm" role="alert">
          <Text size="sm">This link isn’t complete. Open it from the email, or ask for another.</Text>
        </Alert>
      ) : (
        <form onSubmit={saving.submit} noValidate>
          <Stack>
            <PasswordInput
              label="New password"
              description="At least 6 characters"
              autoComplete="new-password"
              autoFocus
              required
              visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password', tabIndex: 0 }}
              {...form.getInputProps('newPassword')}
            />
            <Refused error={saving.refusal} />
            <Button type="submit" loading={saving.isPending}>
              Save password
            </Button>
          </Stack>
        </form>
      )}
    </Frame>
  );
}
