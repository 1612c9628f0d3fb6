import { Group, Progress, Stack, Text } from '@mantine/core';
import { naira } from '../money.js';
import { Money } from './bits.js';

/** How much of a period's limit is used, as a bar and in numbers. */
export function Allowance({ spent, limit }: { spent: number; limit: number }) {
  const share = limit > 0 ? Math.min(100, (spent / limit) * 100) : 0;
  return (
    <Stack gap={4}>
      <Progress
        value={share}
        size={6}
        color={share >= 90 ? 'red.7' : 'teal.7'}
        aria-label={`Allowance used: ${naira(spent)} of ${naira(limit)}`}
      />
      <Group justify="space-between" gap={8} wrap="nowrap">
        <Text size="xs" c="dimmed">
          <Money kobo={spent} /> used
        </Text>
        <Text size="xs" c="dimmed">
          of <Money kobo={limit} />
        </Text>
      </Group>
    </Stack>
  );
}
