import { Box, Group, Paper, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { Money } from '../money/money.js';
import { Skeleton } from '../loading/skeleton.js';

/** A titled card. */
export function Card({
  title,
  aside,
  children,
  flush,
}: {
  title: ReactNode;
  aside?: ReactNode;
  children: ReactNode;
  /** The content reaches from edge to edge, as rows do. */
  flush?: boolean;
}) {
  const id = useId();
  return (
    <Paper component="section" withBorder aria-labelledby={id} className="card">
      <Group justify="space-between" px="md" pt="sm" pb={flush ? 'sm' : 0} gap="xs" mih={44}>
        <Title order={2} id={id}>
          {title}
        </Title>
        {aside}
      </Group>
      {flush ? (
        <div className="flush">{children}</div>
      ) : (
        <Box p="md" pt="xs">
          {children}
        </Box>
      )}
    </Paper>
  );
}

/** One amount that matters, with what it means; undefined is still being loaded. */
export function Figure({ name, kobo, note }: { name: string; kobo: number | undefined; note?: ReactNode }) {
  return (
    <Paper withBorder p="md" className="figure">
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <div className="figure-amount">
        {kobo === undefined ? <Skeleton h={24} w={140} /> : <Money kobo={kobo} />}
      </div>
      <Text component="div" size="xs" c="dimmed" mih="1.55em">
        {note}
      </Text>
    </Paper>
  );
}
