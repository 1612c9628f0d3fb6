import { Group, Progress, Skeleton, Stack, Text } from '@mantine/core';
import { naira } from '../money.js';
import { Money } from './money.js';

/** How much of a period's limit is used, as a bar and in numbers; undefined is still being loaded. */
export function Allowance({ spent, limit }: { spent: number | undefined; limit: number | undefined }) {
  if (spent === undefined || limit === undefined) return <Skeleton h={28.6} />;
  const share = limit > 0 ? Math.min(100, (spent / limit) * 100) : 0;
  return (
    <Stack gap={4}>
      <Progress
        value={share}
        size={6}
        color={share >= 90 ? 'yellow.7' : 'var(--spend)'}
        aria-label={`Spent: ${naira(spent)} of ${naira(limit)}`}
      />
      <Group justify="space-between" gap="0 8px">
        <Text size="xs" c="dimmed">
          <Money kobo={spent} /> spent
        </Text>
        <Text size="xs" c="dimmed">
          of <Money kobo={limit} />
        </Text>
      </Group>
    </Stack>
  );
}
