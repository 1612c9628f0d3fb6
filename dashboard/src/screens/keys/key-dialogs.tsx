import { useState } from 'react';
import type { Wallet, WalletKey } from '../../api/types.js';
import { NewKey } from './new-key.js';
import { RenameKey } from './rename-key.js';
import { RevokeKey } from './revoke-key.js';
import { RotateKey } from './rotate-key.js';
import { Modal } from '../../parts/display/windows.js';

export type Action =
  { readonly kind: 'create' } | { readonly kind: 'rename' | 'rotate' | 'revoke'; readonly key: WalletKey };

const TITLES = {
  create: 'New API key',
  rename: 'Rename key',
  rotate: 'Rotate key',
  revoke: 'Revoke this key?',
} as const;

interface Props {
  wallet: Wallet;
  action: Action | null;
  onClose: () => void;
}

export function KeyDialogs({ wallet, action, onClose }: Props) {
  // Kept while the dialog fades.
  const [shown, setShown] = useState(action);
  if (action && action !== shown) setShown(action);
  return (
    <Modal opened={action !== null} onClose={onClose} title={shown && TITLES[shown.kind]}>
      {shown && <Content action={shown} wallet={wallet} onClose={onClose} />}
    </Modal>
  );
}

function Content({ action, wallet, onClose }: Props & { action: Action }) {
  if (action.kind === 'create') return <NewKey wallet={wallet} onDone={onClose} />;
  const props = { walletId: wallet.id, apiKey: action.key, onDone: onClose };
  if (action.kind === 'rename') return <RenameKey {...props} />;
  return action.kind === 'rotate' ? <RotateKey {...props} /> : <RevokeKey {...props} />;
}
