import { answerOf, api } from './request.js';

/* The calls about one's own account. */

export const changePassword = (body: { currentPassword: string; newPassword: string }) =>
  answerOf(api.POST('/v1/auth/password', { body }));

export const requestPasswordReset = (email: string) =>
  answerOf(api.POST('/v1/auth/password-reset', { body: { email } }));

export const resetPassword = (body: { token: string; newPassword: string }) =>
  answerOf(api.POST('/v1/auth/password-reset/confirm', { body }));

export const sessions = async () => (await answerOf(api.GET('/v1/auth/sessions'))).data.sessions;

export const endSession = (sessionId: string) =>
  answerOf(api.DELETE('/v1/auth/sessions/{sessionId}', { params: { path: { sessionId } } }));

export const signOutEverywhere = () => answerOf(api.POST('/v1/auth/logout-everywhere'));

export const twoFactor = async () => (await answerOf(api.GET('/v1/auth/two-factor'))).data;

export const setUpTwoFactor = async (currentPassword: string) =>
  (await answerOf(api.POST('/v1/auth/two-factor', { body: { currentPassword } }))).data;

export const confirmTwoFactor = async (code: string) =>
  (await answerOf(api.POST('/v1/auth/two-factor/confirm', { body: { code } }))).data.recoveryCodes;

export const renewRecoveryCodes = async () =>
  (await answerOf(api.POST('/v1/auth/two-factor/recovery-codes'))).data.recoveryCodes;

export const turnTwoFactorOff = () => answerOf(api.DELETE('/v1/auth/two-factor'));

export const acceptInvitation = (token: string) =>
  answerOf(api.POST('/v1/invitations/accept', { body: { token } }));
