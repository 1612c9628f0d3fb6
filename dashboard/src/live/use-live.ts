import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { goLive } from './live.js';

/** Milliseconds that a screen waits for the events at most. */
const WAIT_MS = 500;

/**
 * Has what the signed-in user sees follow the service, as long as the tab is open. True once events are heard, so that
 * nothing that is read from then on needs to be read again; also when they take too long.
 */
export function useLive(userId: string): boolean {
  const client = useQueryClient();
  const [isBegun, setIsBegun] = useState(false);
  useEffect(() => {
    const begin = () => setIsBegun(true);
    const waiting = window.setTimeout(begin, WAIT_MS);
    const end = goLive(client, userId, begin);
    return () => {
      window.clearTimeout(waiting);
      end();
    };
  }, [client, userId]);
  return isBegun;
}
