import { pageOrLast } from './pages.js';
import { answerOf, api, data } from './request.js';
import type { components } from './schema.js';

/* The calls of operators. Loaded with their screens, as are the keys of their queries. */

type Schemas = components['schemas'];
export type OperatorCase = Schemas['ShownCase'];
export type CasePage = Schemas['CasePage'];
export type InboundTransfer = Schemas['ShownTransfer'];
export type Payout = Schemas['ShownPayout'];
export type FailedJob = Schemas['ShownJob'];
export type FailingEndpoint = Schemas['ShownEndpoint'];
export type FoundUser = Schemas['FoundUser'];
export type FoundWallet = Schemas['FoundWallet'];
export type Act = Schemas['ShownAct'];
export type Proposal = Schemas['ShownProposal'];
export type ActRequest = Schemas['ActRequestBody'];
export type ActName = ActRequest['act'];
export type TransferStatus = InboundTransfer['status'];

const ROWS = 20;

/** First part of every key: an act asks again for all of them. */
export const OPERATOR = 'operator';
export const operatorKey = (...parts: readonly unknown[]) => [OPERATOR, ...parts] as const;

export const CASE_STATES = ['open', 'closed'] as const;
export type CaseState = (typeof CASE_STATES)[number];

export const cases = (state: CaseState, asked: number) =>
  pageOrLast(asked, (page) =>
    answerOf(api.GET('/v1/operator/cases', { params: { query: { state, page, pageSize: ROWS } } })),
  );

export const readCase = (caseId: string) =>
  data(answerOf(api.GET('/v1/operator/cases/{caseId}', { params: { path: { caseId } } })));

export const takeCase = (caseId: string) =>
  answerOf(api.POST('/v1/operator/cases/{caseId}/assign', { params: { path: { caseId } } }));

export const transfers = (status: TransferStatus | null, asked: number) =>
  pageOrLast(asked, (page) =>
    answerOf(
      api.GET('/v1/operator/transfers', {
        params: { query: { page, pageSize: ROWS, ...(status && { status }) } },
      }),
    ),
  );

export const PAYOUT_STATES = ['open', 'returned', 'failed', 'paid'] as const;
export type PayoutState = (typeof PAYOUT_STATES)[number];

export const payouts = (state: PayoutState, reference: string | null, asked: number) =>
  pageOrLast(asked, (page) =>
    answerOf(
      api.GET('/v1/operator/settlements', {
        params: { query: { page, pageSize: ROWS, ...(reference ? { reference } : { state }) } },
      }),
    ),
  );

/** Records what the bank says now. */
export const askBank = (reference: string) =>
  data(answerOf(api.POST('/v1/operator/settlements/{reference}/ask', { params: { path: { reference } } })));

export const jobs = (asked: number) =>
  pageOrLast(asked, (page) =>
    answerOf(api.GET('/v1/operator/jobs', { params: { query: { page, pageSize: ROWS } } })),
  );

export const endpoints = (asked: number) =>
  pageOrLast(asked, (page) =>
    answerOf(api.GET('/v1/operator/endpoints', { params: { query: { page, pageSize: ROWS } } })),
  );

export const find = (text: string) =>
  data(answerOf(api.GET('/v1/operator/find', { params: { query: { text } } })));

export const acts = (asked: number) =>
  pageOrLast(asked, (page) =>
    answerOf(api.GET('/v1/operator/acts', { params: { query: { page, pageSize: ROWS } } })),
  );

export const proposals = (asked: number) =>
  pageOrLast(asked, (page) =>
    answerOf(api.GET('/v1/operator/proposals', { params: { query: { page, pageSize: ROWS } } })),
  );

export const perform = (body: ActRequest) => data(answerOf(api.POST('/v1/operator/acts', { body })));

const ofProposal = (proposalId: string) => ({ params: { path: { proposalId } } });

export const confirmProposal = (proposalId: string) =>
  answerOf(api.POST('/v1/operator/proposals/{proposalId}/confirm', ofProposal(proposalId)));

export const rejectProposal = (proposalId: string) =>
  answerOf(api.POST('/v1/operator/proposals/{proposalId}/reject', ofProposal(proposalId)));
