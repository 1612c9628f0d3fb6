import { Button } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { FreezeIcon } from '../../parts/icons.js';

const Dialog = lazy(() => import('./freeze-all-dialog.js'));

/** The panic button: stops every wallet at once. */
export function FreezeAll({ active }: { active: number }) {
  const [state, setState] = useState<'unused' | 'open' | 'closed'>('unused');
  return (
    <>
      <Button
        variant="default"
        leftSection={<FreezeIcon size={16} />}
        disabled={active === 0}
        onClick={() => setState('open')}
      >
        Freeze all
      </Button>
      {state !== 'unused' && (
        <Suspense>
          <Dialog active={active} opened={state === 'open'} onClose={() => setState('closed')} />
        </Suspense>
      )}
    </>
  );
}
