import { Alert, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** The answer to an earlier try was lost, and this may be what it created: a second one is for the owner to ask for. */
export function MaybeCreated({ children }: { children: ReactNode }) {
  return (
    <Alert color="yellow" variant="light" role="alert" title="Was it created already?">
      <Text size="sm" className="wrap">
        {children}
      </Text>
    </Alert>
  );
}
