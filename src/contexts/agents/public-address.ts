import { localhostAllowedHostnames } from '@modelcontextprotocol/server';
import type { Config } from '../../platform/config.js';

const ANYWHERE = ['0.0.0.0', '::'];

/** Hosts without ports: this machine, `HOST`, `PUBLIC_URL`, `MCP_ALLOWED_HOSTS`. Others are DNS rebinding. */
export function allowedHosts({ HOST, PUBLIC_URL, MCP_ALLOWED_HOSTS }: Config): string[] {
  return [
    ...localhostAllowedHostnames(),
    ...(ANYWHERE.includes(HOST) ? [] : [HOST.includes(':') ? `[${HOST}]` : HOST.toLowerCase()]),
    ...(PUBLIC_URL === undefined ? [] : [new URL(PUBLIC_URL).hostname]),
    ...MCP_ALLOWED_HOSTS.map((host) => host.toLowerCase()),
  ];
}

export function mcpAddress({ PUBLIC_URL }: Config, host: string): URL {
  if (PUBLIC_URL !== undefined && new URL(PUBLIC_URL).host === new URL(`http://${host}`).host) {
    return new URL('mcp', PUBLIC_URL.replace(/\/*$/, '/'));
  }
  return new URL('/mcp', `http://${host}`);
}
