import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { addPasskey, type Passkey, renamePasskey } from '../../api/passkeys.js';
import { Actions } from '../../parts/forms/actions.js';
import { NameForm } from '../../parts/forms/name-form.js';
import { useSending } from '../../parts/forms/sending.js';
import { Refused } from '../../parts/loading/failure.js';
import { toast } from '../../parts/toasts/toasts.js';
import { nameProblem } from '../../text/validation.js';

const NAME_MAX = 60;

export function AddPasskey({
  onCancel,
  onAdded,
}: {
  onCancel: () => void;
  onAdded: (added: Awaited<ReturnType<typeof addPasskey>>) => void;
}) {
  const form = useForm({
    initialValues: { name: '', currentPassword: '' },
    validate: {
      name: nameProblem,
      currentPassword: (value) => (value ? null : 'Enter your current password'),
    },
  });
  const adding = useSending(
    form,
    ({ name, currentPassword }) => addPasskey({ name: name.trim(), currentPassword }),
    {
      fieldOf: { WRONG_PASSWORD: 'currentPassword' },
      onSuccess: (added) => {
        void toast({ message: `${added.passkey.name} is added` });
        onAdded(added);
      },
    },
  );
  return (
    <form noValidate onSubmit={adding.submit}>
      <Stack>
        <Text size="sm">Your browser asks next which device to use.</Text>
        <TextInput
          label="Name"
          description="To tell it from others, such as Work laptop"
          maxLength={NAME_MAX}
          data-autofocus
          {...form.getInputProps('name')}
        />
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password', tabIndex: 0 }}
          {...form.getInputProps('currentPassword')}
        />
        <Refused error={adding.refusal} />
        <Actions onCancel={onCancel}>
          <Button type="submit" loading={adding.isPending}>
            Continue
          </Button>
        </Actions>
      </Stack>
    </form>
  );
}

export function RenamePasskey({
  passkey,
  onDone,
  onCancel,
}: {
  passkey: Passkey;
  onDone: () => void;
  onCancel: () => void;
}) {
  return (
    <NameForm
      keptAs={`name of passkey ${passkey.id}`}
      name={passkey.name}
      maxLength={NAME_MAX}
      save={(name) => renamePasskey(passkey.id, name)}
      onSaved={onDone}
      onCancel={onCancel}
    />
  );
}
