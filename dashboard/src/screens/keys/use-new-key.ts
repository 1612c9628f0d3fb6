import { useQueryClient } from '@tanstack/react-query';
import { createKey, keys as readKeys } from '../../api/keys.js';
import { queryKeys } from '../../api/query-keys.js';
import type { NewKey, WalletKey } from '../../api/types.js';
import { useLostAnswer } from '../../parts/forms/use-lost-answer.js';
import { holdUntilStored, keyOf, rememberKey } from '../../session/secrets.js';

/**
 * Makes a key, which is shown until it is said to be stored. Where an earlier answer was lost and there is a live key
 * like it, that is `found`, nothing is made, and the answer is null.
 */
export function useNewKey(walletId: string) {
  const client = useQueryClient();
  const { found, create } = useLostAnswer<WalletKey>(`new key of ${walletId} without an answer`);
  const make = async (body: NewKey, replaced?: WalletKey) => {
    try {
      const made = await create(
        async () => (await readKeys(walletId)).find((key) => isAlike(key, body, replaced)),
        () => createKey(walletId, body),
      );
      if (!made) return null;
      rememberKey(walletId, made.fullKey);
      holdUntilStored(keyOf(walletId), made.fullKey, replaced?.id);
      return made;
    } finally {
      // Also where the answer was lost: the list shows whether there is one more.
      void client.invalidateQueries({ queryKey: queryKeys.keys(walletId) });
      void client.invalidateQueries({ queryKey: queryKeys.changes(walletId) });
    }
  };
  return { found, make };
}

const isAlike = (key: WalletKey, { name }: NewKey, replaced?: WalletKey) =>
  key.status === 'active' && key.name === name && (!replaced || key.createdAt > replaced.createdAt);
