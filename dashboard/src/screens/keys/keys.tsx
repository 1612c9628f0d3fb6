import '../../styles/details.css';
import { Anchor, Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { keys as readKeys } from '../../api/keys.js';
import { queryKeys } from '../../api/query-keys.js';
import type { Wallet, WalletDetails, WalletKey } from '../../api/types.js';
import { Answer } from '../../parts/loading/answer.js';
import { Card } from '../../parts/display/card.js';
import { CopiedId } from '../../parts/display/copy.js';
import { Empty } from '../../parts/lists/empty.js';
import { PlusIcon } from '../../parts/display/icons.js';
import { useKeptState } from '../../parts/state/kept.js';
import { BlocksLoading } from '../../parts/loading/loading.js';
import { Rows, RowsLoading } from '../../parts/lists/rows.js';
import { SecretOnce } from '../../parts/display/secret-once.js';
import { SandboxTag, useSandbox } from '../../parts/display/sandbox.js';
import { Snippets } from '../../parts/display/snippets.js';
import { pluralize } from '../../text/pluralize.js';
import { overview } from '../../live/poll-intervals.js';
import { keyOf, markStored, useRememberedKey, useReplaced, useUnstored } from '../../session/secrets.js';
import { type Action, KeyDialogs } from './key-dialogs.js';
import { KeyRow } from './key-row.js';
import { Allowed } from '../../parts/session/allowed.js';

/** The keys that pay from the wallet, and how an agent uses one. */
export function Keys({ walletId, details }: { walletId: string; details: WalletDetails | undefined }) {
  const made = useUnstored(keyOf(walletId));
  const replaced = useReplaced(keyOf(walletId));
  const apiKey = useRememberedKey(walletId);
  return (
    <Stack gap="lg">
      <KeyList walletId={walletId} wallet={details?.wallet} />
      <SecretOnce
        title="Your new API key"
        name="API key"
        secret={made ?? null}
        onStored={() => markStored(keyOf(walletId))}
        next={
          replaced && (
            <Anchor
              component={Link}
              to={`/wallets/${walletId}?key=${replaced}`}
              onClick={() => markStored(keyOf(walletId))}
              size="sm"
              ta="center"
            >
              I’ve stored it, show the payments of the old key
            </Anchor>
          )
        }
      >
        {useSandbox() && ' It pays through the sandbox bank, which moves no real money.'}
      </SecretOnce>
      {details ? (
        <Card title={details.wallet.status === 'CLOSED' ? 'Wallet' : 'Connect an agent'}>
          <Stack gap="md">
            <dl className="facts">
              <dt>Wallet ID</dt>
              <dd>
                <CopiedId value={walletId} name="wallet ID" />
              </dd>
            </dl>
            {details.wallet.status !== 'CLOSED' && <Snippets wallet={details.wallet} apiKey={apiKey} />}
          </Stack>
        </Card>
      ) : (
        <BlocksLoading heights={[300]} />
      )}
    </Stack>
  );
}

function KeyList({ walletId, wallet }: { walletId: string; wallet: Wallet | undefined }) {
  const [action, setAction] = useKeptState<Action | null>(`action on keys of ${walletId}`, null);
  const query = useQuery({
    queryKey: queryKeys.keys(walletId),
    queryFn: () => readKeys(walletId),
    refetchInterval: overview,
  });
  const isClosed = wallet?.status === 'CLOSED';
  return (
    <Card
      title={
        <>
          API keys <SandboxTag />
        </>
      }
      flush
      aside={
        !isClosed && (
          <Allowed act="keys.manage">
            <Button
              size="xs"
              variant="default"
              leftSection={<PlusIcon size={14} />}
              disabled={!wallet}
              onClick={() => setAction({ kind: 'create' })}
            >
              New key
            </Button>
          </Allowed>
        )
      }
    >
      <Answer of={query} what="The keys" loading={<RowsLoading kind="key" rows={1} />}>
        {(all) => <Lists keys={all} {...(!isClosed && { onAct: setAction })} />}
      </Answer>
      {wallet && <KeyDialogs wallet={wallet} action={action} onClose={() => setAction(null)} />}
    </Card>
  );
}

/** Those that pay, and behind a fold those that no longer do. */
function Lists({ keys, onAct }: { keys: WalletKey[]; onAct?: (action: Action) => void }) {
  const live = keys.filter(({ status }) => status === 'active');
  const ended = keys.filter(({ status }) => status !== 'active');
  return (
    <>
      {live.length === 0 ? (
        <Empty title="No active keys">Create a key, and give it to your agent.</Empty>
      ) : (
        <Rows kind="key" label="API keys">
          {live.map((key) => (
            <KeyRow key={key.id} apiKey={key} {...(onAct && { onAct })} />
          ))}
        </Rows>
      )}
      {ended.length > 0 && (
        <details className="fold fold-rows">
          <summary>{pluralize(ended.length, 'inactive key')}</summary>
          <Rows kind="key" label="Inactive keys">
            {ended.map((key) => (
              <KeyRow key={key.id} apiKey={key} />
            ))}
          </Rows>
        </details>
      )}
    </>
  );
}
