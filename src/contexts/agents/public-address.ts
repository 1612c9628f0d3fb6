import { localhostAllowedHostnames } from '@modelcontextprotocol/server';
import type { Config } from '../../platform/config.js';

const ANYWHERE = ['0.0.0.0', '::'];

/**
 * The names under which the service is reached, without ports: this machine's own, `HOST` when it is one address,
 * that of `PUBLIC_URL`, and `MCP_ALLOWED_HOSTS`. A request for any other name was sent by a page that had its own
 * name point here (DNS rebinding).
 */
export function allowedHosts({ HOST, PUBLIC_URL, MCP_ALLOWED_HOSTS }: Config): string[] {
  return [
    ...localhostAllowedHostnames(),
    ...(ANYWHERE.includes(HOST) ? [] : [HOST.includes(':') ? `[${HOST}]` : HOST.toLowerCase()]),
    ...(PUBLIC_URL === undefined ? [] : [new URL(PUBLIC_URL).hostname]),
    ...MCP_ALLOWED_HOSTS.map((host) => host.toLowerCase()),
  ];
}

/** The address of `/mcp` as the client of a request for `host`, an allowed one, knows it. */
export function mcpAddress({ PUBLIC_URL }: Config, host: string): URL {
  if (PUBLIC_URL !== undefined && new URL(PUBLIC_URL).host === new URL(`http://${host}`).host) {
    return new URL('mcp', PUBLIC_URL.replace(/\/*$/, '/'));
  }
  return new URL('/mcp', `http://${host}`);
}
