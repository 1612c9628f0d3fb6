import { useEffect } from 'react';
import { SecretOnce as Once } from '../../parts/secret-once.js';
import { holdUntilStored, markStored } from '../../secrets.js';

/** A signing secret, the one time it is shown. */
export function SecretOnce({ secret, onClose }: { secret: string | null; onClose: () => void }) {
  // A reload asks first.
  useEffect(() => {
    if (secret === null) return;
    holdUntilStored('signing-secret', secret);
    return () => markStored('signing-secret');
  }, [secret]);
  return (
    <Once title="Signing secret" name="signing secret" secret={secret} onStored={onClose}>
      {' '}
      A Standard Webhooks library verifies deliveries with it.
    </Once>
  );
}
