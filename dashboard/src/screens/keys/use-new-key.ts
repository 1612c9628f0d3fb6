import { useQueryClient } from '@tanstack/react-query';
import { createKey } from '../../api/keys.js';
import type { NewKey } from '../../api/types.js';
import { holdUntilStored, keyOf, rememberKey } from '../../secrets.js';

/** Makes a key, which is shown until it is said to be stored. */
export function useNewKey(walletId: string) {
  const client = useQueryClient();
  return async (body: NewKey) => {
    const { fullKey } = await createKey(walletId, body);
    rememberKey(walletId, fullKey);
    holdUntilStored(keyOf(walletId), fullKey);
    void client.invalidateQueries({ queryKey: ['keys', walletId] });
    void client.invalidateQueries({ queryKey: ['changes', walletId] });
  };
}
