import { Alert, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { Link } from 'react-router';
import { accountHolder, stats as readStats, wallet as readWallet } from '../../api/calls.js';
import { keys as readKeys } from '../../api/keys.js';
import { queryKeys } from '../../api/query-keys.js';
import type { Approval, Wallet } from '../../api/types.js';
import { Countdown, useNow } from '../../parts/display/countdown.js';
import { Moment } from '../../parts/display/moment.js';
import { PaymentTag } from '../../parts/display/tag.js';
import { isNotFound } from '../../parts/loading/failure.js';
import { Money } from '../../parts/money/money.js';
import { useMay, useUser } from '../../session/session.js';
import { usePerson } from '../../session/use-person.js';
import { useBankNames } from '../../text/banks.js';
import { pluralize } from '../../text/pluralize.js';
import { limitsInWords, nameOfKey } from '../../wallet/key-words.js';
import { Decide, type useDecision } from './decide.js';
import { problemsOf } from './problem.js';

interface Props {
  approval: Approval;
  isMoving: boolean;
  hasKeys: boolean;
  decision: ReturnType<typeof useDecision>;
  onShown: () => void;
}

/** All that one decides by; of a decided approval, by whom it was and when. */
export function ApprovalDetails({ approval, isMoving, hasKeys, decision, onShown }: Props) {
  const { transaction, walletId, expiresAt, status } = approval;
  const { amount, merchantName } = transaction;
  const user = useUser();
  useEffect(onShown, [approval.id, onShown]);
  const mayDecide = useMay('payments.approve');
  const now = useNow(expiresAt);
  const wallet = useQuery({ queryKey: queryKeys.wallet(walletId), queryFn: () => readWallet(walletId) }).data
    ?.wallet;
  const isPending = status === 'pending';
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="4px 10px">
        <Text fz={28} fw={600} lts="-0.02em">
          <Money kobo={amount} />
        </Text>
        {isPending ? <Countdown to={expiresAt} /> : <PaymentTag payment={transaction} />}
      </Group>
      {!isPending && <Outcome approval={approval} />}
      <Facts approval={approval} wallet={wallet} />
      {isPending && <Left approval={approval} wallet={wallet} />}
      {isPending && (
        <Decide
          id={approval.id}
          amount={amount}
          merchantName={merchantName}
          isMoving={isMoving}
          hasKeys={hasKeys}
          problems={problemsOf({ approval, wallet, userId: user.id, mayDecide, now })}
          decision={decision}
        />
      )}
    </Stack>
  );
}

const OUTCOMES = { approved: 'Approved', denied: 'Denied', expired: 'Expired', pending: '' } as const;

function Outcome({ approval }: { approval: Approval }) {
  const { status, decidedBy, decidedByEmail, decidedAt, note, id, walletId } = approval;
  const isMine = decidedBy === useUser().id;
  return (
    <Alert variant="light" color={status === 'approved' ? 'green' : 'gray'} p="sm" role="status">
      <Text size="sm" className="wrap">
        {OUTCOMES[status]}
        {decidedBy && ` by ${isMine ? 'you' : (decidedByEmail ?? 'a former member')}`}
        {decidedAt && (
          <>
            , <Moment at={decidedAt} />
          </>
        )}
        {status === 'expired' && ': nobody decided in time'}. {note && `“${note}” `}
        <Link to={`/payments?transaction=${id}&of=${walletId}`}>Open the payment</Link>
      </Text>
    </Alert>
  );
}

function Facts({ approval, wallet }: { approval: Approval; wallet: Wallet | undefined }) {
  const { transaction, walletId, createdAt, expiresAt, threshold, status } = approval;
  const isPending = status === 'pending';
  const { recipientBankCode, recipientAccountNo, reason, purpose, rationale, key } = transaction;
  const bankName = useBankNames();
  const second = approval.secondApprovalAbove;
  return (
    <dl className="facts">
      <Fact name={isPending ? 'Why it waits' : 'Why it waited'}>
        {threshold === undefined ? (
          'Needs approval'
        ) : (
          <>
            Above <Money kobo={threshold} />
          </>
        )}
        {second !== undefined && (
          <>
            ; above <Money kobo={second} /> two members must approve
          </>
        )}
      </Fact>
      {approval.takesTwo && (
        <Fact name="Approvals">
          <Approvals of={approval} />
        </Fact>
      )}
      <Fact name="Reason">{reason ?? 'None given'}</Fact>
      {rationale && <Fact name="Rationale">{rationale}</Fact>}
      <Fact name="To">
        {bankName(recipientBankCode)} <span className="tabular">{recipientAccountNo}</span>
      </Fact>
      <Fact name="Account holder">
        <Holder bankCode={recipientBankCode} accountNumber={recipientAccountNo} />
      </Fact>
      <Fact name="Paid before">
        <PaidBefore before={approval.paidBefore} />
      </Fact>
      <Fact name="From">
        <Link to={`/wallets/${walletId}`}>{wallet?.name ?? 'The wallet'}</Link>
      </Fact>
      {key && (
        <Fact name="Key">
          <Link to={`/payments?${new URLSearchParams({ wallet: walletId, key: key.id }).toString()}`}>
            {nameOfKey(key)}
          </Link>{' '}
          <span className="mono">{key.prefix}…</span>
        </Fact>
      )}
      {purpose && <Fact name="Purpose">{purpose}</Fact>}
      <Fact name="Requested">
        <Moment at={createdAt} />
      </Fact>
      {isPending && (
        <Fact name="Expires">
          <Moment at={expiresAt} />
        </Fact>
      )}
    </dl>
  );
}

/** First of two approvers. */
function Approvals({ of: { approvedBy = [] } }: { of: Approval }) {
  const nameOf = usePerson();
  if (approvedBy.length === 0) return '0 of 2, waits for two members';
  return `1 of 2, waits for another member. First approved by ${approvedBy.map(nameOf).join(', ')}`;
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function Holder({ bankCode, accountNumber }: { bankCode: string; accountNumber: string }) {
  const holder = useQuery({
    queryKey: queryKeys.accountHolder(bankCode, accountNumber),
    queryFn: () => accountHolder(bankCode, accountNumber),
    staleTime: Infinity,
    retry: false,
  });
  if (holder.data) return holder.data.accountName;
  if (!holder.isError) return 'Looking up…';
  return isNotFound(holder.error) ? (
    <span className="bad">Not found at this bank</span>
  ) : (
    'Can’t be looked up now'
  );
}

function PaidBefore({ before }: { before: Approval['paidBefore'] }) {
  if (!before) return 'Looking up…';
  const { payments, lastAt, since } = before;
  if (lastAt) {
    return (
      <>
        {since && 'At least '}
        {pluralize(payments, 'time')}, last <Moment at={lastAt} />
      </>
    );
  }
  return since ? (
    <>
      Not since <Moment at={since} />
    </>
  ) : (
    <span className="first-time">No: first payment to this account</span>
  );
}

/** What payments that wait hold is out of these limits already. */
function Left({ approval, wallet }: { approval: Approval; wallet: Wallet | undefined }) {
  const { walletId, transaction } = approval;
  const stats = useQuery({ queryKey: queryKeys.stats(walletId), queryFn: () => readStats(walletId) }).data;
  const keys = useQuery({ queryKey: queryKeys.keys(walletId), queryFn: () => readKeys(walletId) }).data;
  const bankName = useBankNames();
  const key = keys?.find(({ id }) => id === transaction.key?.id);
  return (
    <section aria-label="Left after it">
      <Title order={3} fz="sm" mb={6}>
        Left after it
      </Title>
      <dl className="facts">
        <Fact name="Balance">
          {wallet ? (
            <>
              <Money kobo={wallet.balance - transaction.amount} /> of <Money kobo={wallet.balance} />
            </>
          ) : (
            '…'
          )}
        </Fact>
        <Fact name={wallet ? `Wallet, ${pluralize(wallet.periodWindowDays, 'day')}` : 'Wallet'}>
          {stats ? (
            <>
              <Money kobo={Math.max(0, stats.remainingAllowance)} /> of{' '}
              <Money kobo={stats.spendLimitPeriod} />
            </>
          ) : (
            '…'
          )}
        </Fact>
        {key?.limits && (
          <Fact name="Key">
            {limitsInWords(key, bankName).map((words) => (
              <div key={words}>{words}</div>
            ))}
          </Fact>
        )}
      </dl>
    </section>
  );
}
