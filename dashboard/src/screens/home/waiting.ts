import { queryOptions } from '@tanstack/react-query';
import { pendingApprovals } from '../../api/approvals.js';
import { queryKeys } from '../../api/query-keys.js';
import { overview } from '../../live/poll-intervals.js';

/** The first page of what waits for approval. */
export const waitingQuery = queryOptions({
  queryKey: queryKeys.pendingApprovals(1),
  queryFn: () => pendingApprovals(1),
  refetchInterval: overview,
});
