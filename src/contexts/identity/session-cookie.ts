import { ApiHeader } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';

const SECONDS = 7 * 24 * 60 * 60;

/** The route answers with the cookie when the request asks for it. */
export const ApiSessionCookie = () =>
  ApiHeader({
    name: 'X-Session',
    required: false,
    description: 'For browsers: the token also comes as a cookie of this site that no script can read.',
    schema: { type: 'string', enum: ['cookie'] },
  });

/**
 * The session's token in a cookie that no script can read, for browsers; only a request that asks for it with
 * `X-Session: cookie` gets one. Another site can't send that header: it would need a permission that is never given.
 */
export function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  token: string,
  secure: boolean,
): void {
  if (request.headers['x-session'] === 'cookie') setCookie(reply, token, SECONDS, secure);
}

/** Takes the cookie back. */
export function clearCookie(request: FastifyRequest, reply: FastifyReply, secure: boolean): void {
  if (cookieToken(request, secure) !== undefined) setCookie(reply, '', 0, secure);
}

/** Where https is, the prefix has the browser keep the cookie from every other host and from plain http. */
const nameOf = (secure: boolean): string => (secure ? '__Host-session' : 'session');

function setCookie(reply: FastifyReply, value: string, maxAge: number, secure: boolean): void {
  reply.setCookie(nameOf(secure), value, { httpOnly: true, sameSite: 'strict', path: '/', maxAge, secure });
}

/** The token in the request's cookie, if there is one. */
export function cookieToken({ headers, server }: FastifyRequest, secure: boolean): string | undefined {
  const { cookie } = headers;
  return (cookie !== undefined && server.parseCookie(cookie)[nameOf(secure)]) || undefined;
}

/**
 * Whether a request that carries a cookie may change something: the browser says that a page of this very origin
 * sent it. A browser that says nothing is refused.
 */
export function isSameOrigin({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  if (headers.origin === undefined || !URL.canParse(headers.origin)) return false;
  return new URL(headers.origin).host === headers.host;
}
