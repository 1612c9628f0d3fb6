import { type ReactNode, useDeferredValue } from 'react';
import { Failure, isNotFound } from './failure.js';
import { useFailure } from './use-failure.js';

interface Asked<Data> {
  data: Data | undefined;
  isError: boolean;
  error: unknown;
  errorUpdateCount: number;
  isFetching: boolean;
  refetch: () => unknown;
}

/**
 * What a question to the API answered; until then `loading`, and what failed when nothing came. Answers are drawn in
 * slices of a few milliseconds, so that a long list doesn't keep the page from answering to a hand.
 */
export function Answer<Data>({
  of: asked,
  what,
  loading,
  children,
}: {
  of: Asked<Data>;
  /** Names what could not be loaded. */
  what: string;
  loading: ReactNode;
  children: (data: Data) => ReactNode;
}) {
  const { data, isFetching, refetch } = asked;
  const failure = useFailure(asked);
  const drawn = useDeferredValue(data);
  // A 404 hides what was shown before.
  if (drawn !== undefined && !isNotFound(failure)) return children(drawn);
  return failure && data === undefined ? (
    <Failure error={failure} what={what} isRetrying={isFetching} onRetry={() => void refetch()} />
  ) : (
    loading
  );
}
