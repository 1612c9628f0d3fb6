import { Box, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** What to do where there is nothing yet. */
export function Empty({
  title,
  children,
  action,
}: {
  title: string;
  children: ReactNode;
  action?: ReactNode;
}) {
  return (
    <Stack align="center" gap={6} py="xl" px="md" ta="center">
      <Text fw={600}>{title}</Text>
      <Text size="sm" c="dimmed" maw={440} className="balanced">
        {children}
      </Text>
      {action && <Box mt="xs">{action}</Box>}
    </Stack>
  );
}
