import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';

/** Has what the signed-in user sees follow the service, as long as the tab is open. */
export function useLive(userId: string): void {
  const client = useQueryClient();
  useEffect(() => {
    let end: (() => void) | undefined;
    let isOver = false;
    void import('./live.js').then(
      ({ goLive }) => {
        if (!isOver) end = goLive(client, userId);
      },
      () => undefined,
    );
    return () => {
      isOver = true;
      end?.();
    };
  }, [client, userId]);
}
