import { pageOrLast } from './pages.js';
import { answerOf, api, data } from './request.js';
import type { components } from './schema.js';

/* Calls about statements, and the time zone that their months begin in. */

export type Statement = components['schemas']['StatementView'];

const ROWS = 12;

export const statements = (asked: number) =>
  pageOrLast(asked, (page) =>
    answerOf(api.GET('/v1/statements', { params: { query: { page, pageSize: ROWS } } })),
  );

export const makeStatement = (body: { month: string; walletId: string | null }) =>
  data(answerOf(api.POST('/v1/statements', { body })));

export const statementFile = ({ id }: Statement, format: 'pdf' | 'csv') => `/v1/statements/${id}/${format}`;

export const bookkeepingCsv = (month: string, walletId: string | null) =>
  `/v1/bookkeeping.csv?${new URLSearchParams({ month, ...(walletId !== null && { walletId }) }).toString()}`;

export const statementMail = () => data(answerOf(api.GET('/v1/statement-mail')));

export const setStatementMail = (mail: boolean) =>
  data(answerOf(api.PUT('/v1/statement-mail', { body: { mail } })));

export const timeZone = async () => (await data(answerOf(api.GET('/v1/time-zone')))).timeZone;

export const setTimeZone = async (wanted: string) =>
  (await data(answerOf(api.PUT('/v1/time-zone', { body: { timeZone: wanted } })))).timeZone;
