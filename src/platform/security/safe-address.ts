import ipaddr from 'ipaddr.js';
import type { LookupAddress } from 'node:dns';
import { Resolver, lookup as systemLookup } from 'node:dns/promises';
import net, { type LookupFunction } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildConnector } from 'undici';
import type { Config } from '../config.js';

export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

/** Connection refused because of its target address. */
export class RefusedAddress extends Error {}

const CONNECT_MS_MAX = 10_000;
/** Bound for API callers; the resolver's own retries add up to more. */
const RESOLVE_MS_MAX = 3_000;
const QUERY_MS_MAX = 2_000;
const QUERIES_MAX = 2;

/** Reason why this IP address is not allowed; null for a public one. */
export function addressProblem(address: string): string | null {
  if (!ipaddr.isValid(address)) return `${address} is no IP address`;
  const ip = ipaddr.process(address);
  const range = ip.range();
  if (range !== 'unicast') return `${address} is not on the public internet (${range})`;
  // Public IPv6 is 2000::/3 only.
  if (ip.kind() === 'ipv6' && ((ip as ipaddr.IPv6).parts[0] ?? 0) >> 13 !== 1) {
    return `${address} is not on the public internet`;
  }
  return null;
}

const resolver = new Resolver({ timeout: QUERY_MS_MAX, tries: QUERIES_MAX });

/** Queries DNS directly: the system lookup uses the few worker threads, which silent servers could block. */
export async function resolveByDns(hostname: string): Promise<LookupAddress[]> {
  const name = hostname.toLowerCase().replace(/\.$/, '');
  if (name === 'localhost' || name.endsWith('.localhost')) {
    return [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ];
  }
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const found = [
    ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 })) : []),
    ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 })) : []),
  ];
  if (found.length === 0) throw v4.status === 'rejected' ? v4.reason : new Error(`${name} has no address`);
  return found;
}

const resolveBySystem: Resolve = (hostname) => systemLookup(hostname, { all: true });

export class AddressGuard {
  private readonly resolve: Resolve;

  constructor(
    readonly allowPrivate: boolean,
    resolve?: Resolve,
  ) {
    this.resolve = resolve ?? (allowPrivate ? resolveBySystem : resolveByDns);
  }

  /**
   * Reason why this host is not allowed; null if it is, or does not resolve in time. Connections check again.
   */
  async problem(hostname: string): Promise<string | null> {
    const host = bare(hostname);
    if (net.isIP(host)) return this.allowPrivate ? null : addressProblem(host);
    const waiting = new AbortController();
    const inTime = sleep(RESOLVE_MS_MAX, [], { signal: waiting.signal }).catch(() => []);
    const found = await Promise.race([this.resolve(host).catch(() => []), inTime]);
    waiting.abort();
    return this.problemOf(found);
  }

  /** One forbidden address forbids the name: a connection may take any of them. */
  private problemOf(found: readonly LookupAddress[]): string | null {
    if (this.allowPrivate) return null;
    return found.map(({ address }) => addressProblem(address)).find((problem) => problem !== null) ?? null;
  }

  /**
   * Connects to allowed addresses only; literal ones are checked here. Names are resolved once, and the
   * checked addresses used.
   */
  connector(): buildConnector.connector {
    const lookup: LookupFunction = (hostname, options, callback) => {
      this.resolve(hostname).then(
        (found) => {
          const problem = this.problemOf(found);
          const [first] = found;
          if (problem !== null) callback(new RefusedAddress(problem), '');
          else if (!first) callback(new Error(`${hostname} has no address`), '');
          else if (options.all) callback(null, [...found]);
          else callback(null, first.address, first.family);
        },
        (error: unknown) => callback(error as Error, ''),
      );
    };
    const connect = buildConnector({ lookup, timeout: CONNECT_MS_MAX, allowH2: false });
    return (options, callback) => {
      const host = bare(options.hostname);
      const problem = net.isIP(host) && !this.allowPrivate ? addressProblem(host) : null;
      if (problem === null) connect(options, callback);
      else callback(new RefusedAddress(problem), null);
    };
  }
}

function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

export function allowsPrivate({ WEBHOOK_ALLOW_PRIVATE: allowed, NODE_ENV }: Config): boolean {
  return allowed ? allowed === 'true' : NODE_ENV !== 'production';
}
