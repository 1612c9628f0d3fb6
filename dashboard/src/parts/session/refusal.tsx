import { Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import { type Act, refusalOf } from '../../session/permissions.js';

/** Says why a button is disabled, to who points at it, moves the focus there, or listens. */
export default function Refusal({ act, children }: { act: Act; children: ReactNode }) {
  const reason = refusalOf(act);
  return (
    <Tooltip label={reason} multiline maw={260} events={{ hover: true, focus: true, touch: true }}>
      <span className="refused" role="group" aria-label={reason} tabIndex={0}>
        {children}
      </span>
    </Tooltip>
  );
}
