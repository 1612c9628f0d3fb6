import { Button, Group, Paper, Text } from '@mantine/core';
import { notifyManager, onlineManager, type QueryCache, useQueryClient } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';
import { ApiError } from '../../api/request.js';

/** True if something shown could not be refetched. */
function isStale(cache: QueryCache): boolean {
  return cache
    .getAll()
    .some(
      (query) =>
        query.isActive() &&
        query.state.data !== undefined &&
        query.state.error instanceof ApiError &&
        query.state.error.isTransient,
    );
}

/** Says that what is shown may be out of date. It floats, so that nothing moves when it comes and goes. */
export function Stale() {
  const client = useQueryClient();
  const cache = client.getQueryCache();
  const subscribe = useCallback(
    (onChange: () => void) => cache.subscribe(notifyManager.batchCalls(onChange)),
    [cache],
  );
  const stale = useSyncExternalStore(subscribe, () => isStale(cache));
  const isOnline = useSyncExternalStore(
    (onChange) => onlineManager.subscribe(onChange),
    () => onlineManager.isOnline(),
  );
  return (
    <div role="status" className="floating">
      {!isOnline && (
        <Paper withBorder shadow="md" px="md" py="xs">
          <Text size="sm">You are offline. What you see may be out of date.</Text>
        </Paper>
      )}
      {stale && isOnline && (
        <Paper withBorder shadow="md" px="md" py="xs">
          <Group gap="sm">
            <Text size="sm">Can’t reach the service. What you see may be out of date; trying again.</Text>
            <Button
              size="xs"
              variant="default"
              onClick={() => void client.refetchQueries({ type: 'active' })}
            >
              Try now
            </Button>
          </Group>
        </Paper>
      )}
    </div>
  );
}
