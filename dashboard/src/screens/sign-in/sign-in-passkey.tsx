import { hasPasskeys, proveSignIn } from '../../api/passkeys.js';
import { PasskeyButton } from '../../parts/session/passkey-button.js';

interface Props {
  email: string;
  password: string;
  onProof: (proof: string) => void;
}

/** In place of a code. */
export default function SignInPasskey({ email, password, onProof }: Props) {
  if (!hasPasskeys()) return null;
  return <PasskeyButton prove={() => proveSignIn({ email, password })} onProof={onProof} />;
}
