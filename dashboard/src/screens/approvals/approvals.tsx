import { Group, Stack, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'react-router';
import { accountHolder, wallet as readWallet } from '../../api/calls.js';
import { approvals as readApprovals } from '../../api/approvals.js';
import { queryKeys } from '../../api/query-keys.js';
import type { Approval } from '../../api/types.js';
import { useBankNames } from '../../text/banks.js';
import { Answer } from '../../parts/loading/answer.js';
import { Card } from '../../parts/display/card.js';
import { Choice } from '../../parts/forms/choice.js';
import { Empty } from '../../parts/lists/empty.js';
import { isNotFound } from '../../parts/loading/failure.js';
import { BlocksLoading } from '../../parts/loading/loading.js';
import { Moment } from '../../parts/display/moment.js';
import { Money } from '../../parts/money/money.js';
import { Pager } from '../../parts/lists/pager.js';
import { Rows, What } from '../../parts/lists/rows.js';
import { PaymentTag, Tag } from '../../parts/display/tag.js';
import { useTitle } from '../../parts/frame/title.js';
import { useAddress } from '../../parts/state/use-address.js';
import { watchedToTheEnd } from '../../live/poll-intervals.js';
import { approvalProblem, Decide } from './decide.js';

const SHOWN = ['waiting', 'all'] as const;

/** The payments that wait for their owner, with all that one needs to decide. */
export function Approvals() {
  useTitle('Approvals');
  const address = useAddress();
  const shown = address.oneOf('show', SHOWN);
  const page = address.page();
  const query = useQuery({
    // Decided payments may change later.
    queryKey: shown === 'waiting' ? queryKeys.pendingApprovals(page) : queryKeys.allApprovals(page),
    queryFn: () => readApprovals(shown === 'waiting' ? 'pending' : null, page),
    refetchInterval: watchedToTheEnd(({ data }) => data.map(({ transaction }) => transaction)),
    placeholderData: keepPreviousData,
  });
  return (
    <Stack gap="lg">
      <Group justify="space-between">
        <Title order={1}>Approvals</Title>
        <Choice
          label="Show"
          value={shown}
          onChange={(value) => address.set({ show: value === SHOWN[0] ? null : value, page: null })}
          data={[
            { value: 'waiting', label: 'Waiting' },
            { value: 'all', label: 'All' },
          ]}
        />
      </Group>
      <Answer of={query} what="The approvals" loading={<BlocksLoading heights={[330]} />}>
        {({ data, pagination }) => (
          <>
            {shown === 'waiting' ? (
              <Inbox approvals={data} />
            ) : data.length === 0 ? (
              <None title="All approvals" words="Nothing yet" />
            ) : (
              <Card title="All approvals" flush>
                <Rows kind="payment">
                  {data.map((approval) => (
                    <li key={approval.id}>
                      <Decided approval={approval} />
                    </li>
                  ))}
                </Rows>
              </Card>
            )}
            {pagination.totalPages > 1 && (
              <Pager
                of={pagination}
                one="approval"
                onChange={(to) => address.set({ page: to === 1 ? null : String(to) })}
              />
            )}
          </>
        )}
      </Answer>
    </Stack>
  );
}

function None({ title, words }: { title: string; words: string }) {
  return (
    <Card title={title} flush>
      <Empty title={words}>
        Set an approval threshold in the rules of a wallet, and payments above it wait here for you.
      </Empty>
    </Card>
  );
}

function Inbox({ approvals }: { approvals: readonly Approval[] }) {
  const ids = approvals.map(({ id }) => id).join();
  const isMoving = useMoving(ids);
  const { list, setDecided } = useFocusOnNext(ids);
  if (approvals.length === 0) return <None title="Waiting for you" words="Nothing waits for you" />;
  return (
    <div className="approvals" ref={list}>
      {approvals.map((approval, i) => (
        <Waiting
          key={approval.id}
          approval={approval}
          isMoving={isMoving}
          onDecided={() => setDecided(approval.id, i)}
        />
      ))}
    </div>
  );
}

/** A card that was decided goes with its buttons: the focus is on the next one then, or on the title after the last. */
function useFocusOnNext(ids: string) {
  const list = useRef<HTMLDivElement>(null);
  const decided = useRef<{ id: string; place: number } | null>(null);
  useEffect(() => {
    if (!decided.current || ids.includes(decided.current.id)) return;
    const { place } = decided.current;
    decided.current = null;
    const next = list.current?.children[place] ?? document.querySelector('h1');
    if (!(next instanceof HTMLElement) || document.activeElement !== document.body) return;
    next.tabIndex = -1;
    next.focus();
  }, [ids]);
  return { list, setDecided: (id: string, place: number) => (decided.current = { id, place }) };
}

/** For so long after the cards moved none is decided: what is pressed then was meant for another one. */
const MOVING_MS = 700;

function useMoving(ids: string): boolean {
  const [settled, setSettled] = useState(ids);
  useEffect(() => {
    if (settled === ids) return;
    const still = setTimeout(() => setSettled(ids), MOVING_MS);
    return () => clearTimeout(still);
  }, [ids, settled]);
  return settled !== ids;
}

function Waiting({
  approval,
  isMoving,
  onDecided,
}: {
  approval: Approval;
  isMoving: boolean;
  onDecided: () => void;
}) {
  const { transaction, walletId, createdAt, expiresAt } = approval;
  const bankName = useBankNames();
  const wallet = useQuery({ queryKey: queryKeys.wallet(walletId), queryFn: () => readWallet(walletId) });
  const { recipientBankCode, recipientAccountNo, merchantName, amount, reason } = transaction;
  const holder = useQuery({
    queryKey: queryKeys.accountHolder(recipientBankCode, recipientAccountNo),
    queryFn: () => accountHolder(recipientBankCode, recipientAccountNo),
    staleTime: Infinity,
    retry: false,
  });
  const details = wallet.data?.wallet;
  return (
    <Card title={merchantName} aside={<Tag tone="wait">Awaiting approval</Tag>}>
      <Stack gap="md">
        <Text fz={28} fw={600} lts="-0.02em">
          <Money kobo={amount} />
        </Text>
        <dl className="facts">
          <dt>Reason</dt>
          <dd>{reason ?? 'None given'}</dd>
          <dt>To</dt>
          <dd>
            {bankName(recipientBankCode)} <span className="tabular">{recipientAccountNo}</span>
          </dd>
          <dt>Account holder</dt>
          <dd>
            {holder.data?.accountName ??
              (!holder.isError ? (
                'Looking up…'
              ) : isNotFound(holder.error) ? (
                <span className="bad">Not found at this bank</span>
              ) : (
                'Can’t be looked up now'
              ))}
          </dd>
          <dt>From</dt>
          <dd>
            <Link to={`/wallets/${walletId}`}>{details?.name ?? 'The wallet'}</Link>
            {details && (
              <>
                ,{' '}
                <span style={{ display: 'inline-block' }}>
                  balance <Money kobo={details.balance} />
                </span>
              </>
            )}
          </dd>
          <dt>Requested</dt>
          <dd>
            <Moment at={createdAt} />
          </dd>
          <dt>Expires</dt>
          <dd>
            <Moment at={expiresAt} />
          </dd>
        </dl>
        <Decide
          id={approval.id}
          amount={amount}
          merchantName={merchantName}
          isMoving={isMoving}
          refusal={details && approvalProblem(details)}
          onDecided={onDecided}
        />
      </Stack>
    </Card>
  );
}

function Decided({ approval }: { approval: Approval }) {
  const { transaction, note, decidedAt, createdAt, walletId, id } = approval;
  return (
    <Link to={`/payments?transaction=${id}&of=${walletId}`} className="row">
      <What name={transaction.merchantName} more={note ? `“${note}”` : transaction.reason} />
      <span className="status">
        <PaymentTag payment={transaction} />
      </span>
      <Text size="xs" c="dimmed" component="span" className="when">
        <Moment at={decidedAt ?? createdAt} />
      </Text>
      <span className="end amount">
        <Money kobo={transaction.amount} bold />
      </span>
    </Link>
  );
}
