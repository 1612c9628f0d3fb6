import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useRef, useState } from 'react';
import { Actions } from './actions.js';
import { Modal } from './windows.js';

interface Props {
  wasWrong: boolean;
  onAnswer: (code: string | null) => void;
}

/** Takes the code of the authenticator app. */
export default function SecondFactorDialog({ wasWrong, onAnswer }: Props) {
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
          <Text size="sm">This needs the code of your authenticator app, or a recovery code.</Text>
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
