import { Button, Text } from '@mantine/core';
import type { ComponentProps } from 'react';
import { useUser } from '../../session/session.js';

/** Names who is signed in, and opens what one can do about it. */
export function AccountButton(props: Partial<ComponentProps<typeof Button<'button'>>>) {
  const user = useUser();
  return (
    <Button
      variant="subtle"
      color="gray"
      px="xs"
      miw={0}
      aria-label={`Account ${user.email}`}
      aria-haspopup="menu"
      {...props}
    >
      <Text size="sm" truncate maw={{ base: 120, sm: 240 }} c="var(--mantine-color-text)">
        {user.email}
      </Text>
    </Button>
  );
}
