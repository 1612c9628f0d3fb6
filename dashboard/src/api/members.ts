import { pageOrLast } from './pages.js';
import { answerOf, api, data } from './request.js';
import type { Role } from './types.js';

/* The calls about who works on the wallets, and what they did. */

export const members = () => data(answerOf(api.GET('/v1/members')));

export const invitations = () => data(answerOf(api.GET('/v1/invitations')));

export const invite = (body: { email: string; role: Role }) =>
  answerOf(api.POST('/v1/invitations', { body }));

const ofInvitation = (invitationId: string) => ({ params: { path: { invitationId } } });

export const resendInvitation = (id: string) =>
  answerOf(api.POST('/v1/invitations/{invitationId}/resend', ofInvitation(id)));

export const revokeInvitation = (id: string) =>
  answerOf(api.DELETE('/v1/invitations/{invitationId}', ofInvitation(id)));

const ofMember = (memberId: string) => ({ params: { path: { memberId } } });

export const changeRole = (userId: string, role: Role) =>
  answerOf(api.PATCH('/v1/members/{memberId}', { ...ofMember(userId), body: { role } }));

export const demandTwoFactor = (demanded: boolean) =>
  answerOf(api.PUT('/v1/members/two-factor', { body: { demanded } }));

export const removeMember = (userId: string) =>
  answerOf(api.DELETE('/v1/members/{memberId}', ofMember(userId)));

export const leaveBusiness = () => answerOf(api.POST('/v1/membership/leave'));

export interface ActivityQuery {
  userId?: string;
  act?: string;
  from?: string;
  to?: string;
}

const ROWS = 20;

export const activity = (filter: ActivityQuery, asked: number) =>
  pageOrLast(asked, (page) =>
    answerOf(api.GET('/v1/activity', { params: { query: { ...filter, page, pageSize: ROWS } } })),
  );

export function activityCsv(filter: ActivityQuery): string {
  const query = new URLSearchParams({ ...filter });
  return `/v1/activity.csv${query.size > 0 ? `?${query.toString()}` : ''}`;
}
