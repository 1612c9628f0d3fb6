import '../../styles/fields.css';
import '../../styles/approvals.css';
import { Checkbox, Group, Stack } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { Link } from 'react-router';
import { approval as readApproval } from '../../api/approvals.js';
import { queryKeys } from '../../api/query-keys.js';
import type { Approval } from '../../api/types.js';
import { walletNamesQuery } from '../../api/wallet-list.js';
import { Card } from '../../parts/display/card.js';
import { Countdown } from '../../parts/display/countdown.js';
import { Drawer } from '../../parts/display/windows.js';
import { Answer } from '../../parts/loading/answer.js';
import { BlocksLoading } from '../../parts/loading/loading.js';
import { Money } from '../../parts/money/money.js';
import { useAddress } from '../../parts/state/use-address.js';
import { watchedToTheEnd } from '../../live/poll-intervals.js';
import { nameOfKey } from '../../wallet/key-words.js';
import { ApprovalDetails } from './approval-details.js';
import { useDecision } from './decide.js';
import { Several } from './several.js';

interface Props {
  approvals: readonly Approval[];
  hasKeys: boolean;
  pager: ReactNode;
  none: ReactNode;
}

/** Rows with the chosen approval beside them; on a narrow screen it lies over them. */
export function Queue({ approvals, hasKeys, pager, none }: Props) {
  const address = useAddress();
  const isWide = useMediaQuery('(min-width: 62em)', undefined, { getInitialValueInEffect: false });
  const named = address.get('id');
  const ids = approvals.map(({ id }) => id);
  const [kept, setKept] = useState<string | null>(null);
  // A new approval that expires sooner takes no other's place under the hand.
  const first = kept !== null && ids.includes(kept) ? kept : (ids[0] ?? null);
  const shown = named ?? (isWide ? first : null);
  if (shown !== null && shown !== kept && ids.includes(shown)) setKept(shown);
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const { place, setDecided, focusOnNext } = useFocusOnNext(approvals.length === 0);
  const decision = useDecision((id) => {
    setDecided();
    if (id !== shown) return;
    const at = ids.indexOf(id);
    setKept(ids[at + 1] ?? ids[at - 1] ?? null);
    if (named !== null) address.set({ id: null }, { replace: true });
  });
  const details = shown !== null && (
    <Chosen
      id={shown}
      approvals={approvals}
      hasKeys={hasKeys && isWide}
      decision={decision}
      onShown={focusOnNext}
    />
  );
  if (approvals.length === 0 && named === null) return none;
  return (
    <div className={details && isWide ? 'queue queue-wide' : 'queue'} ref={place}>
      <Stack gap="md">
        {approvals.length === 0 ? (
          none
        ) : (
          <Card
            title="Waiting for you"
            flush
            aside={<Several approvals={approvals} ticked={ticked} onTick={setTicked} />}
          >
            <ul className="rows">
              {approvals.map((approval) => (
                <li key={approval.id}>
                  <Row
                    approval={approval}
                    to={address.to({ id: approval.id })}
                    isChosen={approval.id === shown}
                    isTicked={ticked.has(approval.id)}
                    onTick={(is) =>
                      setTicked((before) => {
                        const after = new Set(before);
                        if (is) after.add(approval.id);
                        else after.delete(approval.id);
                        return after;
                      })
                    }
                  />
                </li>
              ))}
            </ul>
            {pager}
          </Card>
        )}
      </Stack>
      {isWide ? (
        details && <div className="queue-details">{details}</div>
      ) : (
        <Drawer
          opened={shown !== null}
          onClose={() => address.set({ id: null })}
          position="right"
          size="md"
          title="Approval"
          className="approval-over"
        >
          {details}
        </Drawer>
      )}
    </div>
  );
}

function Row({
  approval,
  to,
  isChosen,
  isTicked,
  onTick,
}: {
  approval: Approval;
  to: string;
  isChosen: boolean;
  isTicked: boolean;
  onTick: (is: boolean) => void;
}) {
  const { transaction, walletId, expiresAt } = approval;
  const { merchantName, amount, reason, key } = transaction;
  const wallet = useQuery(walletNamesQuery).data?.find(({ id }) => id === walletId);
  const from = [wallet?.name, key && nameOfKey(key)].filter(Boolean).join(' · ');
  return (
    <div className={isChosen ? 'queue-row chosen' : 'queue-row'}>
      <label className="queue-tick">
        <Checkbox
          size="xs"
          aria-label={`Select ${merchantName}`}
          checked={isTicked}
          onChange={({ currentTarget: { checked } }) => onTick(checked)}
        />
      </label>
      <Link to={to} className="row row-plain" aria-current={isChosen ? 'true' : undefined} preventScrollReset>
        <Group justify="space-between" wrap="nowrap" gap="sm">
          <span className="strong cut" title={merchantName}>
            {merchantName}
          </span>
          <Money kobo={amount} bold />
        </Group>
        <Group justify="space-between" wrap="nowrap" gap="sm">
          <span className="small cut" title={from}>
            {[reason, from].filter(Boolean).join(' · ')}
          </span>
          <Countdown to={expiresAt} />
        </Group>
      </Link>
    </div>
  );
}

function Chosen({
  id,
  approvals,
  ...rest
}: {
  id: string;
  approvals: readonly Approval[];
} & Pick<Parameters<typeof ApprovalDetails>[0], 'hasKeys' | 'decision' | 'onShown'>) {
  const isMoving = useMoving(id);
  const listed = approvals.find((each) => each.id === id);
  const query = useQuery({
    queryKey: queryKeys.approval(id),
    queryFn: () => readApproval(id),
    refetchInterval: watchedToTheEnd((approval) => [approval.transaction]),
    placeholderData: listed ?? keepPreviousData,
  });
  const shown = query.data?.id === id ? query : { ...query, data: listed };
  return (
    <Answer of={shown} what="This approval" loading={<BlocksLoading heights={[460]} />}>
      {(approval) => (
        <Card title={approval.transaction.merchantName}>
          <ApprovalDetails approval={approval} isMoving={isMoving} {...rest} />
        </Card>
      )}
    </Answer>
  );
}

/** A decided row goes with its buttons: the focus is on the next one then, or on the title after the last. */
function useFocusOnNext(isEmpty: boolean) {
  const place = useRef<HTMLDivElement>(null);
  const isDecided = useRef(false);
  const focusOnNext = useCallback(() => {
    if (!isDecided.current) return;
    isDecided.current = false;
    const next = place.current?.querySelector('.queue-details h2') ?? document.querySelector('h1');
    if (!(next instanceof HTMLElement) || document.activeElement !== document.body) return;
    next.tabIndex = -1;
    next.focus();
  }, []);
  useEffect(() => {
    if (isEmpty) focusOnNext();
  }, [isEmpty, focusOnNext]);
  return { place, focusOnNext, setDecided: () => (isDecided.current = true) };
}

/** Time after a change of what is shown, in which nothing is decided: what is pressed then was meant for the one before. */
const MOVING_MS = 700;

function useMoving(id: string): boolean {
  const [settled, setSettled] = useState(id);
  useEffect(() => {
    if (settled === id) return;
    const still = setTimeout(() => setSettled(id), MOVING_MS);
    return () => clearTimeout(still);
  }, [id, settled]);
  return settled !== id;
}
