import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A client owns a whole /64. */
const IPV6_CLIENT_BITS = 64;

/** The part of an address that a client cannot change: IPv4 whole, IPv6 /64. */
export function clientNetwork(address: string): string {
  if (!isIP(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const bytes = parsed.toByteArray().map((byte, i) => (i < IPV6_CLIENT_BITS / 8 ? byte : 0));
  return `${ipaddr.fromByteArray(bytes).toString()}/${IPV6_CLIENT_BITS}`;
}
