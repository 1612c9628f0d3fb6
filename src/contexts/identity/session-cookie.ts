import { ApiHeader } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';

const SECONDS = 7 * 24 * 60 * 60;

export const ApiSessionCookie = () =>
  ApiHeader({
    name: 'X-Session',
    required: false,
    description: 'For browsers: the token also comes as a cookie of this site that no script can read.',
    schema: { type: 'string', enum: ['cookie'] },
  });

/** For requests with `X-Session: cookie`, a header that other sites cannot send. */
export function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  token: string,
  secure: boolean,
): void {
  if (request.headers['x-session'] === 'cookie') setCookie(reply, token, SECONDS, secure);
}

export function clearCookie(request: FastifyRequest, reply: FastifyReply, secure: boolean): void {
  if (cookieToken(request, secure) !== undefined) setCookie(reply, '', 0, secure);
}

/** The prefix binds the cookie to this host and https. */
const nameOf = (secure: boolean): string => (secure ? '__Host-session' : 'session');

function setCookie(reply: FastifyReply, value: string, maxAge: number, secure: boolean): void {
  reply.setCookie(nameOf(secure), value, { httpOnly: true, sameSite: 'strict', path: '/', maxAge, secure });
}

export function cookieToken({ headers, server }: FastifyRequest, secure: boolean): string | undefined {
  const { cookie } = headers;
  return (cookie !== undefined && server.parseCookie(cookie)[nameOf(secure)]) || undefined;
}

/** Requires the browser to state the same origin. */
export function isSameOrigin({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  if (headers.origin === undefined || !URL.canParse(headers.origin)) return false;
  return new URL(headers.origin).host === headers.host;
}
