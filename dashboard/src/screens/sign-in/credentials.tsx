import { PasswordInput, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';

type Form<Values> = Pick<UseFormReturnType<Values>, 'getInputProps'>;

export function Credentials<Values extends { email: string; password: string }>({
  form,
  isNew = false,
}: {
  form: Form<Values>;
  /** The password is thought up here; else it is one to remember. */
  isNew?: boolean;
}) {
  return (
    <>
      <TextInput
        label="Email"
        type="email"
        autoComplete="username"
        autoFocus
        required
        {...form.getInputProps('email')}
      />
      <PasswordInput
        label="Password"
        {...(isNew && { description: 'At least 6 characters' })}
        autoComplete={isNew ? 'new-password' : 'current-password'}
        required
        visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password', tabIndex: 0 }}
        {...form.getInputProps('password')}
      />
    </>
  );
}
