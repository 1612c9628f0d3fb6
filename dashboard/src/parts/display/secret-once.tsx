import { Button, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Code } from './copy.js';
import { Modal } from './windows.js';

interface Props {
  title: string;
  /** Follows “Copy”. */
  name: string;
  secret: string | null;
  onStored: () => void;
  /** Another way on, below the button. */
  next?: ReactNode;
  children?: ReactNode;
}

/** Shows a secret once, until the user confirms that it is stored. */
export function SecretOnce({ title, name, secret, onStored, next, children }: Props) {
  // Kept while the dialog fades.
  const [shown, setShown] = useState({ secret, next });
  if (secret !== null && secret !== shown.secret) setShown({ secret, next });
  return (
    <Modal
      opened={secret !== null}
      onClose={onStored}
      title={title}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack>
        <Text size="sm">
          Store it in your secrets manager; you won’t see it again.
          {children}
        </Text>
        <Code value={shown.secret ?? ''} name={name} />
        <Button onClick={onStored}>I’ve stored it</Button>
        {shown.next}
      </Stack>
    </Modal>
  );
}
