import { Box, Button, Text } from '@mantine/core';
import type { ComponentProps } from 'react';
import { useMembership, useUser } from '../../session/session.js';

/** Names who is signed in, and opens what one can do about it. */
export function AccountButton(props: Partial<ComponentProps<typeof Button<'button'>>>) {
  const user = useUser();
  const { business } = useMembership();
  return (
    <Button
      variant="subtle"
      color="gray"
      px="xs"
      miw={0}
      aria-label={`Account ${[business?.name, user.email].filter(Boolean).join(' ')}`}
      aria-haspopup="menu"
      {...props}
    >
      <Box maw={{ base: 120, sm: 240 }} miw={0} ta="end" lh={1.3}>
        {business && (
          <Text size="xs" fw={600} truncate c="var(--mantine-color-text)">
            {business.name}{' '}
          </Text>
        )}
        <Text size={business ? 'xs' : 'sm'} truncate c={business ? 'dimmed' : 'var(--mantine-color-text)'}>
          {user.email}
        </Text>
      </Box>
    </Button>
  );
}
