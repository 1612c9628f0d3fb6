import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A client that has an IPv6 address has all those that begin with these bits. */
const IPV6_CLIENT_BITS = 64;

/**
 * The part of a client's address that it can't change at will, for counting: the whole IPv4 address, the first 64 bits
 * of an IPv6 one. What is no address counts as it is.
 */
export function clientNetwork(address: string): string {
  if (!isIP(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const bytes = parsed.toByteArray().map((byte, i) => (i < IPV6_CLIENT_BITS / 8 ? byte : 0));
  return `${ipaddr.fromByteArray(bytes).toString()}/${IPV6_CLIENT_BITS}`;
}
