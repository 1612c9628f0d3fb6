import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { growingTo } from '../../../kernel/growing-to.js';
import { Database } from '../../../platform/database/database.js';
import { note, type Reader, readFor } from '../../../platform/observability/request-id.js';
import { READER_OF_KEY } from '../lock-statements.js';
import { invalidKey } from '../lookups.js';
import { type KeyHash, keyHashBytes, type KeyReader } from '../wallet.port.js';

const KEYS_REMEMBERED_MAX = 10_000;

type FoundReader = KeyReader & { readonly keyId: string; readonly ownerId: string };

@Injectable()
export class KeyReadersStore {
  private readonly known = new LRUCache<KeyHash, readonly Reader[]>(growingTo(KEYS_REMEMBERED_MAX));

  constructor(private readonly database: Database) {}

  async requireReader(keyHash: KeyHash): Promise<KeyReader> {
    const known = this.known.get(keyHash);
    if (known) await this.database.reads.assertRoomFor(known);
    const { keyId, ownerId, ...reader } = await this.find(keyHash);
    const readers = [
      { kind: 'key', id: keyId },
      { kind: 'user', id: ownerId },
    ] as const;
    if (!known) this.known.set(keyHash, readers);
    readFor(...readers);
    note({ walletId: reader.walletId });
    return reader;
  }

  /** Throws `INVALID_API_KEY`. */
  async find(keyHash: KeyHash): Promise<FoundReader> {
    const [found] = await this.database.query<FoundReader>(READER_OF_KEY, [keyHashBytes(keyHash)]);
    if (!found) throw invalidKey();
    return found;
  }
}
