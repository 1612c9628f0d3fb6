import { Alert, Anchor, Button, PasswordInput, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { pay, sendMoney } from '../../api/calls.js';
import { ApiError } from '../../api/request.js';
import type { VirtualAccount } from '../../api/types.js';
import { rememberedKey, rememberKey } from '../../keys.js';
import { koboTyped, naira, NAIRA_PROBLEM } from '../../money.js';
import { Card } from '../../parts/card.js';
import { Refused } from '../../parts/failure.js';
import { MoneyInput } from '../../parts/money-input.js';
import { useSending } from '../../parts/sending.js';
import { Tag } from '../../parts/tag.js';

function useRefresh(walletId: string) {
  const client = useQueryClient();
  return () => {
    const keys = [
      ['wallet', walletId],
      ['stats', walletId],
      ['transactions', walletId],
      ['ledger', walletId],
      ['by-day'],
    ];
    for (const queryKey of keys) void client.invalidateQueries({ queryKey });
  };
}

/** Plays somebody who transfers money to the wallet's account. */
export function SendMoney({ walletId, account }: { walletId: string; account: VirtualAccount }) {
  const refresh = useRefresh(walletId);
  const form = useForm({
    initialValues: { amount: '10,000.00' },
    validate: { amount: (value) => (koboTyped(value) === null ? NAIRA_PROBLEM : null) },
  });
  const sending = useSending(
    form,
    async ({ amount }) => {
      const { data } = await sendMoney({
        accountNumber: account.accountNumber,
        amount: koboTyped(amount) ?? 0,
      });
      return data.amount;
    },
    { onSuccess: refresh },
  );
  return (
    <Card title="Send money to this account">
      <form noValidate onSubmit={sending.submit}>
        <Stack gap="sm">
          <MoneyInput label="Amount" {...form.getInputProps('amount')} />
          <Button type="submit" variant="default" loading={sending.isPending}>
            Send
          </Button>
          <div role="status" className="outcome">
            {sending.isSuccess && (
              <Text size="sm">{naira(sending.data)} sent. It is credited in a moment.</Text>
            )}
          </div>
          <Refused error={sending.refusal} />
        </Stack>
      </form>
    </Card>
  );
}

/** Plays the agent: a payment with the wallet's own key. */
export function TryPayment({ walletId }: { walletId: string }) {
  const refresh = useRefresh(walletId);
  const form = useForm({
    initialValues: {
      key: rememberedKey(walletId),
      amount: '1,250.50',
      merchantName: 'Shoprite',
      recipientAccountNo: '0123456789',
      recipientBankCode: '058',
    },
    validate: {
      key: (value) => (value.trim() ? null : 'Give the API key of this wallet'),
      amount: (value) => (koboTyped(value) === null ? NAIRA_PROBLEM : null),
    },
  });
  const attempt = useSending(
    form,
    async ({ key, amount, ...rest }) => {
      const payment = { ...rest, amount: koboTyped(amount) ?? 0, reason: 'A try from the dashboard' };
      const paid = await pay(key.trim(), payment);
      rememberKey(walletId, key.trim());
      return paid;
    },
    { fieldOf: { INVALID_API_KEY: 'key' }, onSettled: refresh },
  );
  const { refusal } = attempt;
  const blocked = refusal instanceof ApiError && refusal.transactionId ? refusal : null;
  return (
    <Card title="Try a payment" aside={<Tag tone="calm">Sandbox</Tag>}>
      <form noValidate onSubmit={attempt.submit}>
        <Stack gap="sm">
          <PasswordInput
            label="API key"
            placeholder="apw_live_…"
            autoComplete="off"
            visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the key', tabIndex: 0 }}
            {...form.getInputProps('key')}
          />
          <MoneyInput label="Amount" {...form.getInputProps('amount')} />
          <TextInput label="Merchant" {...form.getInputProps('merchantName')} />
          <SimpleGrid cols={2} spacing="xs">
            <TextInput
              label="Account"
              inputMode="numeric"
              maxLength={10}
              {...form.getInputProps('recipientAccountNo')}
            />
            <TextInput
              label="Bank code"
              inputMode="numeric"
              maxLength={3}
              {...form.getInputProps('recipientBankCode')}
            />
          </SimpleGrid>
          <Button type="submit" loading={attempt.isPending}>
            Pay
          </Button>
          <div role="status" className="outcome">
            {attempt.isSuccess && (
              <Outcome tone="teal" title="Approved" id={attempt.data.transaction.id}>
                {naira(attempt.data.transaction.amount)} to {attempt.data.transaction.merchantName}.
              </Outcome>
            )}
            {blocked?.transactionId && (
              <Outcome tone="red" title="Blocked" id={blocked.transactionId}>
                {inNaira(blocked.message)}
              </Outcome>
            )}
          </div>
          {!blocked && <Refused error={refusal} />}
        </Stack>
      </form>
    </Card>
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
  return (
    <Alert color={tone} variant="light" title={title} p="sm">
      <Text size="sm">{children}</Text>
      <Anchor
        component={Link}
        to={{ search: `?transaction=${id}` }}
        preventScrollReset
        size="sm"
        underline="always"
      >
        See the six checks
      </Anchor>
    </Alert>
  );
}

/** The API speaks of kobo; a person reads naira. */
function inNaira(message: string): string {
  return message
    .replace(
      /\b(\d+) of (\d+) kobo\b/g,
      (_, part: string, all: string) => `${naira(Number(part))} of ${naira(Number(all))}`,
    )
    .replace(/\b(\d+) kobo\b/g, (_, amount: string) => naira(Number(amount)))
    .replace(/^The amount (\d+)\b/, (_, amount: string) => `The amount ${naira(Number(amount))}`);
}
