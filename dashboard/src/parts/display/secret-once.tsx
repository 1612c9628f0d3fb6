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
  children?: ReactNode;
}

/** Shows a secret once, until the user confirms that it is stored. */
export function SecretOnce({ title, name, secret, onStored, children }: Props) {
  // Kept while the dialog fades.
  const [shown, setShown] = useState(secret);
  if (secret !== null && secret !== shown) setShown(secret);
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
        <Code value={shown ?? ''} name={name} />
        <Button onClick={onStored}>I’ve stored it</Button>
      </Stack>
    </Modal>
  );
}
