import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Approval, Endpoint, HomeNews } from '../../api/types.js';
import { pausedEndpointsQuery } from '../../api/webhooks.js';
import { Card } from '../../parts/display/card.js';
import { Countdown } from '../../parts/display/countdown.js';
import { Moment } from '../../parts/display/moment.js';
import { Tag } from '../../parts/display/tag.js';
import { Answer } from '../../parts/loading/answer.js';
import { BlocksLoading } from '../../parts/loading/loading.js';
import { Money } from '../../parts/money/money.js';
import { useBankNames } from '../../text/banks.js';
import { pluralize } from '../../text/pluralize.js';
import { useHome } from './use-home.js';
import { waitingQuery } from './waiting.js';

const APPROVALS_SHOWN = 3;
const NEAR = 80;

/** Lists what waits for somebody, the most urgent first, each with what to do about it. */
export function Needs() {
  const { query } = useHome();
  const approvals = useQuery(waitingQuery);
  const { data: paused = [] } = useQuery(pausedEndpointsQuery);
  const waiting = approvals.data?.data ?? [];
  const more = (approvals.data?.pagination.totalCount ?? 0) - APPROVALS_SHOWN;
  return (
    <Card title="Needs you" flush>
      <Answer of={query} what="What needs you" loading={<BlocksLoading heights={[62]} />}>
        {(home) => {
          const rows = [
            ...waiting.slice(0, APPROVALS_SHOWN).map(approvalRow),
            ...(more > 0 ? [moreRow(more)] : []),
            ...rowsOf(home),
            ...paused.map(pausedRow),
          ];
          if (rows.length === 0) {
            return (
              <Text size="sm" c="dimmed" p="md">
                Nothing needs you: no approval waits, no limit or balance is near its end, every endpoint
                answers.
              </Text>
            );
          }
          return (
            <ul className="rows">
              {rows.map((row) => (
                <li key={row.key}>
                  <NeedRow {...row} />
                </li>
              ))}
            </ul>
          );
        }}
      </Answer>
    </Card>
  );
}

interface Need {
  readonly key: string;
  readonly what: ReactNode;
  readonly more?: ReactNode;
  readonly tag: ReactNode;
  readonly to: string;
  readonly action: string;
}

function NeedRow({ what, more, tag, to, action }: Need) {
  return (
    <div className="row row-plain need">
      <div>
        <Text size="sm" fw={500} component="div" className="wrap">
          {what}
        </Text>
        {more && (
          <Text size="xs" c="dimmed" component="div" className="wrap">
            {more}
          </Text>
        )}
      </div>
      <span className="status">{tag}</span>
      <Button component={Link} to={to} size="xs" variant="default">
        {action}
      </Button>
    </div>
  );
}

function approvalRow({ id, expiresAt, transaction: { amount, merchantName, reason } }: Approval): Need {
  return {
    key: id,
    what: (
      <>
        <Money kobo={amount} /> to {merchantName}
      </>
    ),
    more: reason,
    tag: <Countdown to={expiresAt} />,
    to: `/approvals?id=${id}`,
    action: 'Decide',
  };
}

function moreRow(count: number): Need {
  return {
    key: 'approvals',
    what: `${pluralize(count, 'more payment')} ${count === 1 ? 'waits' : 'wait'} for approval`,
    tag: <Tag tone="wait">Approval</Tag>,
    to: '/approvals',
    action: 'See all',
  };
}

function pausedRow({ id, url, disabledReason, disabledAt }: Endpoint): Need {
  return {
    key: id,
    what: `The webhook endpoint at ${new URL(url).host} is paused`,
    more: (
      <>
        {disabledAt && (
          <>
            Since <Moment at={disabledAt} />:{' '}
          </>
        )}
        {disabledReason}. Nothing is sent to it.
      </>
    ),
    tag: <Tag tone="bad">Paused</Tag>,
    to: `/webhooks/${id}`,
    action: 'Open',
  };
}

/** Asks for the names of the banks, which Home else has no use for. */
function BankName({ code }: { code: string }) {
  return useBankNames()(code);
}

function rowsOf({
  unusual,
  returned,
  returnedWithdrawals,
  limits,
  lowBalances,
  endpoints,
}: HomeNews): Need[] {
  return [
    ...unusual
      .filter(({ kind }) => kind === 'burst')
      .map(({ walletId, walletName, count, keyId, keyName }): Need => ({
        key: `burst ${walletId} ${keyId ?? ''}`,
        what: `${count} payments of ${walletName} were blocked in a burst`,
        more: keyId && (
          <>
            By <Link to={`/wallets/${walletId}?tab=keys`}>{keyName ?? 'its first key'}</Link>
          </>
        ),
        tag: <Tag tone="bad">Burst</Tag>,
        to: `/payments?${new URLSearchParams({ wallet: walletId, status: 'blocked', ...(keyId && { key: keyId }) }).toString()}`,
        action: 'See them',
      })),
    ...returned.map(({ id, walletId, merchantName, amount, createdAt }): Need => ({
      key: id,
      what: (
        <>
          <Money kobo={amount} /> to {merchantName} came back from the bank
        </>
      ),
      more: (
        <>
          Requested <Moment at={createdAt} />; being resolved, the balance has not changed
        </>
      ),
      tag: <Tag tone="bad">Sent back</Tag>,
      to: `/payments?transaction=${id}&of=${walletId}`,
      action: 'See it',
    })),
    ...returnedWithdrawals.map(
      ({ id, walletId, walletName, amount, accountNumber, bankCode, createdAt }): Need => ({
        key: id,
        what: (
          <>
            <Money kobo={amount} /> withdrawn to <BankName code={bankCode} /> {accountNumber} came back from
            the bank
          </>
        ),
        more: (
          <>
            Requested <Moment at={createdAt} /> from {walletName}; being resolved, the balance has not changed
          </>
        ),
        tag: <Tag tone="bad">Sent back</Tag>,
        to: `/wallets/${walletId}?tab=ledger`,
        action: 'See it',
      }),
    ),
    ...limits.map(({ walletId, walletName, spent, held, limit, days }): Need => {
      const percent = Math.floor(((spent + held) / limit) * 100);
      return {
        key: `limit ${walletId}`,
        what: `${walletName} used ${Math.max(NEAR, percent)} % of its limit`,
        more: (
          <>
            <Money kobo={spent} /> spent
            {held > 0 && (
              <>
                , <Money kobo={held} /> held
              </>
            )}{' '}
            of <Money kobo={limit} /> in {pluralize(days, 'day')}
          </>
        ),
        tag: <Tag tone={percent >= 100 ? 'bad' : 'wait'}>Limit</Tag>,
        to: `/wallets/${walletId}?tab=rules&edit=rules`,
        action: 'Change limit',
      };
    }),
    ...lowBalances.map(({ walletId, walletName, balance, threshold }): Need => ({
      key: `low ${walletId}`,
      what: (
        <>
          {walletName} is low: <Money kobo={balance} />
        </>
      ),
      more: (
        <>
          Your alert is set at <Money kobo={threshold} />
        </>
      ),
      tag: <Tag tone="wait">Low balance</Tag>,
      to: `/wallets/${walletId}?fund=open`,
      action: 'Fund',
    })),
    // Paused ones have more to say.
    ...endpoints
      .filter(({ pausedReason }) => pausedReason === null)
      .map(({ id, host, failingSince }): Need => ({
        key: id,
        what: `The webhook endpoint at ${host} fails`,
        more: failingSince && (
          <>
            Since <Moment at={failingSince} />
          </>
        ),
        tag: <Tag tone="wait">Webhooks</Tag>,
        to: `/webhooks/${id}`,
        action: 'Open',
      })),
  ];
}
