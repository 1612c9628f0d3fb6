import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { growingTo } from '../../kernel/growing-to.js';
import type { Tx } from '../../platform/database/tx.js';
import { type KeyLabel, Wallets } from '../wallet/wallet.port.js';

const KEYS_KNOWN_MAX = 50_000;
const NAME_AGE_MS_MAX = 60_000;

@Injectable()
export class PayingKeys {
  private readonly known = new LRUCache<string, KeyLabel>({
    ...growingTo(KEYS_KNOWN_MAX),
    ttl: NAME_AGE_MS_MAX,
  });

  constructor(private readonly wallets: Wallets) {}

  async labelsOf(keyIds: readonly string[], tx: Tx): Promise<ReadonlyMap<string, KeyLabel>> {
    const labels = new Map<string, KeyLabel>();
    const unknown = new Set<string>();
    for (const id of keyIds) {
      const label = this.known.get(id);
      if (label) labels.set(id, label);
      else unknown.add(id);
    }
    if (unknown.size === 0) return labels;
    for (const [id, label] of await this.wallets.keyLabels([...unknown], tx)) {
      this.known.set(id, label);
      labels.set(id, label);
    }
    return labels;
  }
}
