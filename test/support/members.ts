import { randomUUID } from 'node:crypto';
import type { MailServer } from './mail-server.js';
import { expectStatus, type TestService, type TestUser, until } from './service.js';

export interface Invited {
  readonly data: { readonly invitation: { readonly id: string; readonly email: string } };
}

/** Settings under which a service mails to `mails`. */
export const mailingTo = (mails: MailServer): Record<string, string> => ({
  SMTP_URL: mails.url,
  MAIL_FROM: 'Wallets <wallets@example.ng>',
  PUBLIC_URL: 'https://wallets.example.ng/',
});

export const businessOwner = (service: TestService): Promise<TestUser> =>
  service.signUp({ accountType: 'business' });

export const invite = (service: TestService, by: TestUser, email: string, role: string) =>
  service.post<Invited>('/v1/invitations', { token: by.token, body: { email, role } });

/** The token of the link in invitation number `count` to an address. */
export async function invitationToken(mails: MailServer, email: string, count = 1): Promise<string> {
  const LINK = /\/invitation#token=(\S+)/;
  const links = () => mails.to(email).flatMap(({ text }) => LINK.exec(text)?.[1] ?? []);
  await until(() => Promise.resolve(links().length >= count));
  return links()[count - 1]!;
}

export const accept = (service: TestService, user: TestUser, token: string) =>
  service.post<{ error?: { code: string } }>('/v1/invitations/accept', {
    token: user.token,
    body: { token },
  });

/** A new user who joined the business of `by`: invited by e-mail, signed up, and accepted. */
export async function newMember(
  service: TestService,
  mails: MailServer,
  by: TestUser,
  role: string,
): Promise<TestUser> {
  const email = `${role}-${randomUUID()}@example.com`;
  expectStatus(201, await invite(service, by, email, role));
  const user = await service.signUp({ email });
  expectStatus(200, await accept(service, user, await invitationToken(mails, email)));
  return user;
}
