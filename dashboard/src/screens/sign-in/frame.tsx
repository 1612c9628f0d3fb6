import { Center, Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { ColorScheme } from '../../parts/color-scheme.js';

/** What stands around the forms of who is not signed in. */
export function Frame({ title, other, children }: { title: string; other: ReactNode; children: ReactNode }) {
  return (
    <Center mih="100dvh" p="md" component="main">
      <Stack w="100%" maw={400} gap="lg">
        <Group justify="space-between">
          <Group gap={10}>
            <img src="/favicon.svg" width={32} height={32} alt="" />
            <Text fw={700} size="lg">
              Agent wallets
            </Text>
          </Group>
          <ColorScheme />
        </Group>
        <Paper withBorder p="lg">
          <Stack>
            <Title order={1}>{title}</Title>
            {children}
          </Stack>
        </Paper>
        <Text size="sm" ta="center">
          {other}
        </Text>
      </Stack>
    </Center>
  );
}
