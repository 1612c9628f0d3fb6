import { Alert, Button, Group, Text } from '@mantine/core';
import { ApiError } from '../../api/request.js';
import { messageOf } from '../../text/words.js';

export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

/** Says what couldn't be loaded and why, and offers to try again. */
export function Failure({
  error,
  what,
  isRetrying,
  onRetry,
}: {
  error: unknown;
  what: string;
  isRetrying?: boolean;
  onRetry?: () => void;
}) {
  const isLost = isNotFound(error);
  return (
    <Alert
      color="red"
      variant="light"
      title={isLost ? `${what} wasn’t found` : `${what} couldn’t be loaded`}
      role="alert"
    >
      <Group justify="space-between" gap="sm">
        <Text size="sm">{isLost ? 'Check the address, or ask who sent it to you.' : messageOf(error)}</Text>
        {onRetry && !isLost && (
          <Button size="xs" variant="default" loading={isRetrying} onClick={onRetry}>
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
