import { Button } from '@mantine/core';
import { useState } from 'react';
import { OnDemand } from '../../parts/loading/boundary.js';
import { FreezeIcon } from '../../parts/display/icons.js';
import { loadable } from '../../parts/loading/loadable.js';
import { Allowed } from '../../parts/session/allowed.js';

const Dialog = loadable(
  () => import('./freeze-all-dialog.js'),
  (part) => part.default,
);

/** Stops every wallet at once. */
export function FreezeAll({ active }: { active: number }) {
  const [state, setState] = useState<'unused' | 'open' | 'closed'>('unused');
  return (
    <>
      <Allowed act="wallets.suspend">
        <Button
          variant="default"
          leftSection={<FreezeIcon size={16} />}
          disabled={active === 0}
          onClick={() => setState('open')}
        >
          Freeze all
        </Button>
      </Allowed>
      {state !== 'unused' && (
        <OnDemand onFailed={() => setState('unused')}>
          <Dialog active={active} opened={state === 'open'} onClose={() => setState('closed')} />
        </OnDemand>
      )}
    </>
  );
}
