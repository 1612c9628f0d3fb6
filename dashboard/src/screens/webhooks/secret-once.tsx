import { SecretOnce as Once } from '../../parts/display/secret-once.js';
import { markStored, signingSecretOf, useUnstored } from '../../session/secrets.js';

/** A fresh signing secret of the endpoint, until it is said to be stored. */
export function SecretOnce({ endpointId }: { endpointId: string }) {
  const held = signingSecretOf(endpointId);
  return (
    <Once
      title="Signing secret"
      name="signing secret"
      secret={useUnstored(held) ?? null}
      onStored={() => markStored(held)}
    >
      {' '}
      A Standard Webhooks library verifies deliveries with it.
    </Once>
  );
}
