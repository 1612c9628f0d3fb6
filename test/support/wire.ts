import { type WireName, wireOf } from '../../src/platform/database/wire/choose.js';
import type { Wire } from '../../src/platform/database/wire/wire.js';

/** The wire that `DATABASE_WIRE` names; see `jest/environment.mjs`. */
export function testWire(name = (process.env.DATABASE_WIRE || 'packets') as WireName): Wire {
  return wireOf(name, (line) => {
    throw new Error(line);
  });
}
