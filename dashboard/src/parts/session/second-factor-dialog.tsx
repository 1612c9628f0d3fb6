import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useRef, useState } from 'react';
import { ACTS, ALWAYS } from '../../api/second-factor-acts.js';
import type { Asking } from '../../api/second-factor.js';
import { Actions } from '../forms/actions.js';
import { Modal } from '../display/windows.js';

interface Props extends Asking {
  onAnswer: (code: string | null) => void;
}

const wordsOf = (call: string): string =>
  (ACTS as Record<string, string>)[call] ?? (ALWAYS as Record<string, string>)[call] ?? 'do this';

/** Takes the code of the authenticator app. */
export default function SecondFactorDialog({ call, wasWrong, onAnswer }: Props) {
  const [code, setCode] = useState('');
  const field = useRef<HTMLInputElement>(null);
  return (
    <Modal opened onClose={() => onAnswer(null)} title="Confirm it’s you" zIndex={400}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (code.trim()) onAnswer(code.trim());
          else field.current?.focus();
        }}
      >
        <Stack>
          <Text size="sm">
            To {wordsOf(call)}, enter the code of your authenticator app, or a recovery code.
            {!(call in ALWAYS) && ' You won’t be asked again for 10 minutes.'}
          </Text>
          <TextInput
            ref={field}
            label="Two-factor code"
            data-autofocus
            autoComplete="one-time-code"
            maxLength={64}
            value={code}
            error={wasWrong ? 'This code is wrong or was used before' : null}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
          <Actions onCancel={() => onAnswer(null)}>
            <Button type="submit">Confirm</Button>
          </Actions>
        </Stack>
      </form>
    </Modal>
  );
}
