import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import type { Approval } from '../../api/types.js';
import { OnDemand } from '../../parts/loading/boundary.js';
import { loadable } from '../../parts/loading/loadable.js';
import { Money } from '../../parts/money/money.js';

const Dialog = loadable(
  () => import('./several-dialog.js'),
  (part) => part.default,
);

interface Props {
  approvals: readonly Approval[];
  ticked: ReadonlySet<string>;
  onTick: (ids: ReadonlySet<string>) => void;
}

/** Approves several at once: those that are ticked, or, soonest first, as many as a sum allows. */
export function Several({ approvals, ticked, onTick }: Props) {
  const [state, setState] = useState<'unused' | 'open' | 'closed'>('unused');
  const chosen = approvals.filter(({ id }) => ticked.has(id));
  const sum = chosen.reduce((total, { transaction }) => total + transaction.amount, 0);
  return (
    <>
      {chosen.length > 0 ? (
        <Group gap="xs">
          <Text size="sm" c="dimmed" component="span" aria-live="polite">
            {chosen.length} selected, <Money kobo={sum} />
          </Text>
          <Button size="xs" onClick={() => setState('open')}>
            Approve {chosen.length}
          </Button>
          <Button size="xs" variant="default" onClick={() => onTick(new Set())}>
            Clear
          </Button>
        </Group>
      ) : (
        approvals.length > 1 && (
          <Button size="xs" variant="default" onClick={() => setState('open')}>
            Approve up to a sum
          </Button>
        )
      )}
      {state !== 'unused' && (
        <OnDemand onFailed={() => setState('unused')}>
          <Dialog
            approvals={approvals}
            ticked={ticked}
            onTick={onTick}
            opened={state === 'open'}
            onClose={() => setState('closed')}
          />
        </OnDemand>
      )}
    </>
  );
}
