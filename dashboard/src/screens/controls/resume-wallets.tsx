import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { walletNamesQuery } from '../../api/wallet-list.js';
import { OnDemand } from '../../parts/loading/boundary.js';
import { loadable } from '../../parts/loading/loadable.js';
import { Allowed } from '../../parts/session/allowed.js';

const Dialog = loadable(
  () => import('./resume-wallets-dialog.js'),
  (part) => part.default,
);

/** Lets frozen wallets pay again; shown while there is one. */
export function ResumeWallets() {
  const [state, setState] = useState<'unused' | 'open' | 'closed'>('unused');
  const { data = [] } = useQuery(walletNamesQuery);
  const frozen = data.filter(({ status }) => status === 'SUSPENDED');
  return (
    <>
      {frozen.length > 0 && (
        <Allowed act="wallets.change">
          <Button variant="default" onClick={() => setState('open')}>
            Resume wallets
          </Button>
        </Allowed>
      )}
      {state !== 'unused' && (
        <OnDemand onFailed={() => setState('unused')}>
          <Dialog frozen={frozen} opened={state === 'open'} onClose={() => setState('closed')} />
        </OnDemand>
      )}
    </>
  );
}
