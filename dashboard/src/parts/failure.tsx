import { Alert, Button, Group, Text } from '@mantine/core';
import { ApiError } from '../api/request.js';

/** Says what failed and why, and offers to try again. */
export function Failure({ error, what, onRetry }: { error: unknown; what: string; onRetry?: () => void }) {
  const isLost = error instanceof ApiError && error.status === 404;
  return (
    <Alert
      color="red"
      variant="light"
      title={isLost ? `${what} was not found` : `${what} could not be loaded`}
      role="alert"
    >
      <Group justify="space-between" gap="sm">
        <Text size="sm">{messageOf(error)}</Text>
        {onRetry && !isLost && (
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
      </Group>
    </Alert>
  );
}

/** An action that failed, in its place. */
export function Refused({ error }: { error: unknown }) {
  if (!error) return null;
  return (
    <Alert color="red" variant="light" role="alert" p="sm">
      <Text size="sm">{messageOf(error)}</Text>
    </Alert>
  );
}

export function messageOf(error: unknown): string {
  return error instanceof ApiError
    ? error.message
    : 'Something went wrong in this page. Reload it and try again.';
}
