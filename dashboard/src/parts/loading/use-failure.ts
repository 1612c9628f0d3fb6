import { useState } from 'react';

interface Asked {
  data: unknown;
  isError: boolean;
  error: unknown;
  errorUpdateCount: number;
}

/**
 * What a question to the API failed with, as long as nothing was answered: also while it is asked again, so that the
 * message and its button don't go and come with each attempt. Null when nothing failed.
 */
export function useFailure({ data, isError, error, errorUpdateCount }: Asked): unknown {
  const [last, setLast] = useState<unknown>(null);
  if (isError && error !== last) setLast(error);
  if (isError) return error;
  return data === undefined && errorUpdateCount > 0 ? last : null;
}
