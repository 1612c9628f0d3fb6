import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';

/** The main button of a dialog, and beside it the one that leaves everything as it is. */
export function Actions({ onCancel, children }: { onCancel: () => void; children: ReactNode }) {
  return (
    <Group>
      {children}
      <Button variant="default" onClick={onCancel}>
        Cancel
      </Button>
    </Group>
  );
}
