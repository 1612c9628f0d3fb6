import { pageOrLast } from './pages.js';
import { answerOf, api } from './request.js';
import type { ApprovalStatus } from './types.js';

/* The calls about payments that wait for their owner. */

export const approvals = (status: ApprovalStatus | null, asked: number) =>
  pageOrLast(asked, (page) =>
    answerOf(
      api.GET('/v1/approvals', { params: { query: { page, pageSize: 10, ...(status && { status }) } } }),
    ),
  );

export const countWaiting = async () => (await approvals('pending', 1)).pagination.totalCount;

export const decide = (approvalId: string, word: 'approve' | 'deny', note: string | null) =>
  answerOf(
    word === 'approve'
      ? api.POST('/v1/approvals/{approvalId}/approve', { params: { path: { approvalId } }, body: { note } })
      : api.POST('/v1/approvals/{approvalId}/deny', { params: { path: { approvalId } }, body: { note } }),
  );
