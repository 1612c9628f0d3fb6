import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type TrustedProxies = 'off' | number | readonly string[];

const NAMED_NETWORKS = ['loopback', 'linklocal', 'uniquelocal'];
const HOPS_MAX = 10;
const NETWORKS_MAX = 100;

/** `off`, hops, or networks; anything else fails the check below. */
export function parseTrustedProxies(text: string): TrustedProxies {
  if (text === 'off') return 'off';
  return /^\d+$/.test(text) ? Number(text) : text.split(',').map((part) => part.trim());
}

export function areTrustedProxies(value: unknown): value is TrustedProxies {
  if (Array.isArray(value)) return value.length <= NETWORKS_MAX && value.every(isNetwork);
  return value === 'off' || (typeof value === 'number' && value >= 1 && value <= HOPS_MAX);
}

function isNetwork(text: unknown): boolean {
  if (typeof text !== 'string') return false;
  if (NAMED_NETWORKS.includes(text) || isIP(text)) return true;
  // Would trust every client.
  return isIP(text.split('/')[0] ?? '') > 0 && ipaddr.isValidCIDR(text) && ipaddr.parseCIDR(text)[1] > 0;
}

/** Fastify trusts no proxy if given a count. */
export function trustProxy(
  proxies: TrustedProxies,
): boolean | string[] | ((_: string, hop: number) => boolean) {
  if (proxies === 'off') return false;
  if (typeof proxies === 'number') return (_, hop) => hop < proxies;
  return [...proxies];
}
