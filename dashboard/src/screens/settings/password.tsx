import { Button, PasswordInput, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { changePassword } from '../../api/account.js';
import { queryKeys } from '../../api/query-keys.js';
import { Card } from '../../parts/display/card.js';
import { Refused } from '../../parts/loading/failure.js';
import { useSending } from '../../parts/forms/sending.js';
import { toast } from '../../parts/toasts/toasts.js';
import { newPasswordProblem } from '../../text/validation.js';

const toggle = { 'aria-label': 'Show or hide the password', tabIndex: 0 };

export function Password() {
  const client = useQueryClient();
  const form = useForm({
    initialValues: { currentPassword: '', newPassword: '' },
    validate: {
      currentPassword: (value) => (value ? null : 'Enter your current password'),
      newPassword: newPasswordProblem,
    },
  });
  const saving = useSending(form, changePassword, {
    fieldOf: { WRONG_PASSWORD: 'currentPassword' },
    onSuccess: () => {
      form.reset();
      void client.invalidateQueries({ queryKey: queryKeys.sessions });
      void toast({ message: 'Password changed. Your other sessions are ended.' });
    },
  });
  return (
    <Card title="Password">
      <form noValidate onSubmit={saving.submit}>
        <Stack>
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            visibilityToggleButtonProps={toggle}
            {...form.getInputProps('currentPassword')}
          />
          <PasswordInput
            label="New password"
            description="At least 6 characters"
            autoComplete="new-password"
            visibilityToggleButtonProps={toggle}
            {...form.getInputProps('newPassword')}
          />
          <Refused error={saving.refusal} />
          <Button
            type="submit"
            variant="default"
            loading={saving.isPending}
            style={{ alignSelf: 'flex-start' }}
          >
            Change password
          </Button>
        </Stack>
      </form>
    </Card>
  );
}
