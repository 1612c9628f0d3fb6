import type { Check } from '../checks/check.domain.js';
import type { Facts } from '../checks/facts.port.js';

/** A check that is made only where the owner asked for it: of facts that do not apply it is not even asked. */
export interface Rule extends Check {
  applies(facts: Facts): boolean;
}
