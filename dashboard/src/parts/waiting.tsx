import { Skeleton, Stack, VisuallyHidden } from '@mantine/core';

/** Stands where something is being loaded, as tall as what will come. */
export function Waiting({ rows = 4, height = 56 }: { rows?: number; height?: number }) {
  return (
    <Stack gap="sm" role="status" p="xs">
      <VisuallyHidden>Loading</VisuallyHidden>
      {Array.from({ length: rows }, (_, i) => (
        <Skeleton key={i} height={height} radius="md" />
      ))}
    </Stack>
  );
}
