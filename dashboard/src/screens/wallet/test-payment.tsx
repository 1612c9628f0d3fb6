import {
  Alert,
  Anchor,
  Button,
  NativeSelect,
  PasswordInput,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { pay, transaction } from '../../api/calls.js';
import { queryKeys } from '../../api/query-keys.js';
import { ApiError } from '../../api/request.js';
import type { Wallet } from '../../api/types.js';
import { useBankNames, useBanks } from '../../text/banks.js';
import { examplePayment } from '../../payments/example-payment.js';
import { blockReasonInWords, checksOf } from '../../payments/checks.js';
import { koboTyped, naira, typedNaira } from '../../money/money.js';
import { Refused } from '../../parts/loading/failure.js';
import { MoneyInput } from '../../parts/money/money-input.js';
import { useSending } from '../../parts/forms/sending.js';
import { useAddress } from '../../parts/state/use-address.js';
import { useOnce } from '../../parts/forms/use-once.js';
import { watched } from '../../live/poll-intervals.js';
import { rememberedKey, rememberKey } from '../../session/secrets.js';
import { PAYMENT_STATUSES } from '../../payments/status.js';
import type { Tone } from '../../look/tone.js';
import { accountProblem, amountProblem } from '../../text/validation.js';
import { useRefresh } from '../controls/use-refresh.js';

/** The sandbox bank knows an outcome by the recipient's account number. */
const OUTCOMES = {
  '0123456789': 'Is paid',
  '9000000002': 'Fails after 2 seconds',
  '9000000004': 'Is paid, then sent back',
  '9000000003': 'Stays open',
  '9000000001': 'Is refused at once',
} as const;

/** Plays the agent: a payment with the wallet's own key. */
export function TestPayment({ walletId, wallet }: { walletId: string; wallet: Wallet }) {
  const banks = useBanks();
  const example = examplePayment(wallet);
  const once = useOnce(`unanswered test payment of ${walletId}`);
  const form = useForm({
    initialValues: {
      key: rememberedKey(walletId),
      amount: typedNaira(example.amount),
      merchantName: example.merchantName,
      recipientAccountNo: example.recipientAccountNo,
      recipientBankCode: example.recipientBankCode,
    },
    validate: {
      key: (value) => (value.trim() ? null : 'Enter an API key of this wallet'),
      amount: amountProblem,
      merchantName: (value) => (value.trim() ? null : 'Enter a merchant'),
      recipientAccountNo: accountProblem,
    },
  });
  const attempt = useSending(
    form,
    async ({ key, amount, ...rest }) => {
      const payment = { ...rest, amount: koboTyped(amount) ?? 0, reason: 'Test payment' };
      try {
        const paid = await once(payment, (idempotencyKey, body) => pay(key.trim(), idempotencyKey, body));
        rememberKey(walletId, key.trim());
        return paid;
      } catch (error) {
        // A blocked payment, too, has shown that the key is one of this wallet.
        if (error instanceof ApiError && error.transactionId) rememberKey(walletId, key.trim());
        throw error;
      }
    },
    { fieldOf: { INVALID_API_KEY: 'key' }, onSettled: useRefresh(walletId) },
  );
  const { refusal } = attempt;
  const blocked = refusal instanceof ApiError && refusal.transactionId ? refusal : null;
  const account = form.values.recipientAccountNo;
  const hasAnswer = attempt.isSuccess || attempt.refusal !== null;
  const answer = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (hasAnswer) answer.current?.scrollIntoView({ block: 'nearest' });
  }, [hasAnswer, attempt.isPending]);
  return (
    <section aria-label="Test payment">
      <form noValidate onSubmit={attempt.submit}>
        <Stack gap="sm">
          <Title order={2}>Test payment</Title>
          <PasswordInput
            label="API key"
            placeholder="apw_live_…"
            autoComplete="off"
            visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the key', tabIndex: 0 }}
            {...form.getInputProps('key')}
          />
          <MoneyInput label="Amount" {...form.getInputProps('amount')} />
          <TextInput label="Merchant" maxLength={200} {...form.getInputProps('merchantName')} />
          <NativeSelect
            label="Once approved, the payout …"
            data={[
              ...Object.entries(OUTCOMES).map(([value, label]) => ({ value, label })),
              ...(account in OUTCOMES
                ? []
                : [{ value: account, label: 'Is paid to your own account number' }]),
            ]}
            value={account}
            onChange={({ currentTarget: { value } }) => form.setFieldValue('recipientAccountNo', value)}
          />
          <SimpleGrid cols={2} spacing="xs">
            <TextInput
              label="Account number"
              inputMode="numeric"
              maxLength={10}
              {...form.getInputProps('recipientAccountNo')}
            />
            <Select
              label="Bank"
              searchable
              allowDeselect={false}
              data={banks.map(({ code, name }) => ({ value: code, label: name }))}
              {...form.getInputProps('recipientBankCode')}
            />
          </SimpleGrid>
          <Button type="submit" loading={attempt.isPending}>
            Pay
          </Button>
          <div role="status" className="outcome" ref={answer}>
            {attempt.isSuccess && <Made payment={attempt.data.transaction} />}
            {blocked?.transactionId && (
              <Blocked walletId={walletId} id={blocked.transactionId} reason={blocked.code} />
            )}
          </div>
          {!blocked && <Refused error={refusal} />}
        </Stack>
      </form>
    </section>
  );
}

type Made = Awaited<ReturnType<typeof pay>>['transaction'];

const TONES: Partial<Record<Tone, string>> = { good: 'green', bad: 'red', wait: 'yellow' };

/** A payment that was let through, and what becomes of it while one looks. */
function Made({ payment: { id, walletId, amount, merchantName, decision } }: { payment: Made }) {
  const { data } = useQuery({
    queryKey: queryKeys.payment(walletId, id),
    queryFn: () => transaction(walletId, id),
    refetchInterval: watched,
  });
  const { name, tone } =
    PAYMENT_STATUSES[data?.status ?? (decision === 'pending' ? 'awaiting_approval' : 'processing')];
  return (
    <Outcome tone={TONES[tone] ?? 'ink'} title={name} id={id}>
      {naira(amount)} to {merchantName}.
    </Outcome>
  );
}

/** A blocked payment, with what the failed check compared. */
function Blocked({ walletId, id, reason }: { walletId: string; id: string; reason: string }) {
  const bankName = useBankNames();
  const { data } = useQuery({
    queryKey: queryKeys.payment(walletId, id),
    queryFn: () => transaction(walletId, id),
  });
  const failed =
    data && checksOf(data.auditEvents, bankName, data.merchantName).find(({ result }) => result === 'failed');
  return (
    <Outcome tone="red" title={PAYMENT_STATUSES.blocked.name} id={id}>
      {blockReasonInWords(reason)}
      {failed?.compared && `: ${failed.compared}`}.
    </Outcome>
  );
}

function Outcome({
  tone,
  title,
  id,
  children,
}: {
  tone: string;
  title: string;
  id: string;
  children: ReactNode;
}) {
  const address = useAddress();
  return (
    <Alert color={tone} variant="light" title={title} p="sm">
      <Text size="sm" className="wrap">
        {children}
      </Text>
      <Anchor
        component={Link}
        to={address.to({ transaction: id, test: null })}
        preventScrollReset
        size="sm"
        underline="always"
      >
        See the payment
      </Anchor>
    </Alert>
  );
}
