import { Text } from '@mantine/core';

/** What a number in a field counts. */
export function Unit({ children }: { children: string }) {
  return (
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  );
}
