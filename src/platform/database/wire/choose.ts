import { createRequire } from 'node:module';
import { PacketWire } from './packets.js';
import { PlainWire } from './plain.js';
import type { Wire } from './wire.js';

export type WireName = 'packets' | 'plain';

/** Version of `pg` whose private members the packets use. */
export const KNOWN_DRIVER = '8.23.1';

/** With another driver than {@link KNOWN_DRIVER}, `plain` serves in place of `packets`. */
export function wireOf(name: WireName, warn: (line: string) => void, driver = driverVersion()): Wire {
  if (name === 'plain') return new PlainWire();
  if (driver === KNOWN_DRIVER) return new PacketWire();
  warn(`DATABASE_WIRE: packets need pg ${KNOWN_DRIVER}, and this is ${driver}: plain queries serve instead`);
  return new PlainWire();
}

export function driverVersion(): string {
  return (createRequire(import.meta.url)('pg/package.json') as { version: string }).version;
}
