import { pageOrLast } from './pages.js';
import { answerOf, api, data } from './request.js';

/* The calls about payments that wait for their owner. */

const PAGE_SIZE = 20;

/** What expires soonest first. */
export const pendingApprovals = (asked: number) =>
  pageOrLast(asked, (page) =>
    answerOf(
      api.GET('/v1/approvals', {
        params: { query: { page, pageSize: PAGE_SIZE, status: 'pending', sort: 'expiresAt' } },
      }),
    ),
  );

/** Decided ones too, newest first. */
export const allApprovals = (asked: number) =>
  pageOrLast(asked, (page) =>
    answerOf(api.GET('/v1/approvals', { params: { query: { page, pageSize: 10 } } })),
  );

export const approval = async (approvalId: string) =>
  (await data(answerOf(api.GET('/v1/approvals/{approvalId}', { params: { path: { approvalId } } }))))
    .approval;

export const countWaiting = async () =>
  (
    await answerOf(
      api.GET('/v1/approvals', { params: { query: { page: 1, pageSize: 1, status: 'pending' } } }),
    )
  ).pagination.totalCount;

export const decide = (approvalId: string, word: 'approve' | 'deny', note: string | null) =>
  answerOf(
    word === 'approve'
      ? api.POST('/v1/approvals/{approvalId}/approve', { params: { path: { approvalId } }, body: { note } })
      : api.POST('/v1/approvals/{approvalId}/deny', { params: { path: { approvalId } }, body: { note } }),
  );
