import { useQueryClient } from '@tanstack/react-query';
import { renameKey } from '../../api/keys.js';
import { queryKeys } from '../../api/query-keys.js';
import type { WalletKey } from '../../api/types.js';
import { NameForm } from '../../parts/forms/name-form.js';
import { toast } from '../../parts/toasts/toasts.js';
import { nameOfKey } from '../../wallet/key-words.js';

interface Props {
  walletId: string;
  apiKey: WalletKey;
  onDone: () => void;
}

export function RenameKey({ walletId, apiKey, onDone }: Props) {
  const client = useQueryClient();
  return (
    <NameForm
      keptAs={`name of key ${apiKey.id}`}
      name={apiKey.name ?? ''}
      description="Who or what uses it"
      maxLength={100}
      save={(name) => renameKey(walletId, apiKey.id, name)}
      onSaved={({ data: { apiKey: renamed } }) => {
        void toast({ message: `The key is now called ${nameOfKey(renamed)}` });
        void client.invalidateQueries({ queryKey: queryKeys.keys(walletId) });
        void client.invalidateQueries({ queryKey: queryKeys.changes(walletId) });
        onDone();
      }}
      onCancel={onDone}
    />
  );
}
