import { useRef } from 'react';
import { ApiError } from '../../api/request.js';
import { useFound, useKeeping } from '../state/kept.js';

interface Unanswered {
  readonly sent: string;
  readonly key: string;
}

/**
 * Sends something that must be done once under an `Idempotency-Key` of its own. Sent again after no answer came, it has
 * the same key, so that it isn't done twice; what was changed in between, or was answered, gets another one. The key is
 * kept under `name` where the session ends.
 */
export function useOnce(name: string) {
  const unanswered = useRef(useFound<Unanswered>(name));
  useKeeping(name, () => unanswered.current);
  return async <Body extends object, Answer>(
    body: Body,
    send: (key: string, body: Body) => Promise<Answer>,
  ): Promise<Answer> => {
    const sent = JSON.stringify(body);
    if (unanswered.current?.sent !== sent) unanswered.current = { sent, key: crypto.randomUUID() };
    try {
      const answer = await send(unanswered.current.key, body);
      unanswered.current = null;
      return answer;
    } catch (error) {
      if (isAnswer(error)) unanswered.current = null;
      throw error;
    }
  };
}

/** Checked before the idempotency key, so these refusals say nothing about earlier requests. */
const OF_WHO_ASKS = ['TWO_FACTOR_REQUIRED', 'INVALID_TWO_FACTOR_CODE'];

const isAnswer = (error: unknown): boolean =>
  !(
    error instanceof ApiError &&
    (error.isTransient || error.status === 401 || OF_WHO_ASKS.includes(error.code))
  );
