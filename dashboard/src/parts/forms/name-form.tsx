import { Button, Stack, TextInput } from '@mantine/core';
import { nameProblem } from '../../text/validation.js';
import { Refused } from '../loading/failure.js';
import { useKeptForm } from '../state/kept-form.js';
import { Actions } from './actions.js';
import { useSending } from './sending.js';

interface Props<Saved> {
  /** Under which what was typed is kept over a new sign-in. */
  keptAs: string;
  name?: string;
  description?: string;
  maxLength: number;
  save: (name: string) => Promise<Saved>;
  onSaved: (saved: Saved) => void;
  onCancel: () => void;
}

/** Gives one thing a name. */
export function NameForm<Saved>({
  keptAs,
  name: former = '',
  description,
  maxLength,
  save,
  onSaved,
  onCancel,
}: Props<Saved>) {
  const form = useKeptForm(keptAs, { initialValues: { name: former }, validate: { name: nameProblem } });
  const saving = useSending(form, ({ name }) => save(name.trim()), { onSuccess: onSaved });
  return (
    <form noValidate onSubmit={saving.submit}>
      <Stack>
        <TextInput
          label="Name"
          description={description}
          required
          maxLength={maxLength}
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Refused error={saving.refusal} />
        <Actions onCancel={onCancel}>
          <Button type="submit" loading={saving.isPending}>
            Save
          </Button>
        </Actions>
      </Stack>
    </form>
  );
}
