import { cloneElement, type ReactElement } from 'react';
import type { Act } from '../../session/permissions.js';
import { useMay } from '../../session/session.js';
import { OnDemand } from '../loading/boundary.js';
import { loadable } from '../loading/loadable.js';

const Reason = loadable(
  () => import('./refusal.js'),
  (part) => part.default,
);

/** What is no button can still be followed by keys. */
const NO_LINK = { component: 'button', to: undefined, href: undefined, download: undefined };

/** A button, disabled for whom the role doesn't allow its act, with the reason. */
export function Allowed({ act, children }: { act: Act; children: ReactElement<{ disabled?: boolean }> }) {
  if (useMay(act)) return children;
  const disabled = cloneElement(children, { disabled: true, ...NO_LINK });
  return (
    <OnDemand fallback={disabled} onFailed={() => undefined}>
      <Reason act={act}>{disabled}</Reason>
    </OnDemand>
  );
}
