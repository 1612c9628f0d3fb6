import { queryOptions } from '@tanstack/react-query';
import { queryKeys } from './query-keys.js';
import { answerOf, api, data } from './request.js';

/** Changes in between are on the lists below at once. */
const ASK_EVERY_MS = 60_000;

/** Null days: since the last visit, which the call notes. */
export const homeQuery = (days: number | null) =>
  queryOptions({
    queryKey: queryKeys.home(days),
    queryFn: () => data(answerOf(api.GET('/v1/home', { params: { query: days === null ? {} : { days } } }))),
    refetchInterval: ASK_EVERY_MS,
  });
