import { useState } from 'react';
import { isTransient } from '../../live/poll-intervals.js';
import { useKeptState } from '../state/kept.js';

/**
 * Creates what has no `Idempotency-Key`. A try whose answer was lost may have created it: before the next one is sent,
 * `find` looks for it, and `found` is what it found. Then nothing is sent, and `create` answers null; the try after that
 * is sent. That an answer was lost is kept under `name` where the session ends.
 */
export function useLostAnswer<Found>(name: string) {
  const [isAnswerLost, setIsAnswerLost] = useKeptState(name, false);
  const [found, setFound] = useState<Found>();
  const create = async <Created>(
    find: () => Promise<Found | undefined>,
    send: () => Promise<Created>,
  ): Promise<Created | null> => {
    setFound(undefined);
    try {
      const alike = isAnswerLost ? await find() : undefined;
      setIsAnswerLost(false);
      setFound(alike);
      return alike === undefined ? await send() : null;
    } catch (error) {
      if (isTransient(error)) setIsAnswerLost(true);
      throw error;
    }
  };
  return { found, create };
}
