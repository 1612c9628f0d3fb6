import {
  Alert,
  Anchor,
  Button,
  Collapse,
  Group,
  SimpleGrid,
  Stack,
  Switch,
  TagsInput,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { createWallet } from '../api/calls.js';
import { Card } from '../parts/card.js';
import { Code } from '../parts/copy.js';
import { Refused } from '../parts/failure.js';
import { MoneyInput } from '../parts/money-input.js';
import { useSending } from '../parts/sending.js';
import { useTitle } from '../parts/title.js';
import { rememberKey } from '../keys.js';
import { koboTyped, NAIRA_PROBLEM } from '../money.js';
import { ruleInWords } from '../rule.js';
import { useUser } from '../session.js';
import { dateInput, endOfDay } from '../time.js';

/** Errors of the rules that name no field belong to these. */
const FIELD_OF: Record<string, string> = {
  EXPIRY_IN_PAST: 'expiry',
  ALLOWLIST_REQUIRED: 'merchantAllowlist',
  PERIOD_LIMIT_TOO_LOW: 'spendLimitPeriod',
};

export function NewWallet() {
  useTitle('New wallet');
  const user = useUser();
  const client = useQueryClient();
  const form = useForm({
    initialValues: {
      name: '',
      spendLimitPerTx: '5,000.00',
      spendLimitPeriod: '20,000.00',
      periodWindowDays: '30',
      expiry: dateInput(90),
      useAllowlist: false,
      merchantAllowlist: [] as string[],
    },
    validate: {
      name: (value) => (value.trim() ? null : 'Give the wallet a name'),
      spendLimitPerTx: (value) => (koboTyped(value) === null ? NAIRA_PROBLEM : null),
      spendLimitPeriod: (value) => (koboTyped(value) === null ? NAIRA_PROBLEM : null),
      periodWindowDays: (value) => (/^[1-9]\d{0,3}$/.test(value.trim()) ? null : 'A whole number of days'),
      expiry: (value) => (endOfDay(value) ? null : 'A day'),
    },
  });
  const creating = useSending(
    form,
    (values) =>
      createWallet({
        name: values.name,
        userId: user.id,
        spendLimitPerTx: koboTyped(values.spendLimitPerTx) ?? 0,
        spendLimitPeriod: koboTyped(values.spendLimitPeriod) ?? 0,
        periodWindowDays: Number(values.periodWindowDays),
        expiry: endOfDay(values.expiry)?.toISOString() ?? '',
        useAllowlist: values.useAllowlist,
        merchantAllowlist: values.useAllowlist ? values.merchantAllowlist : [],
      }),
    {
      fieldOf: FIELD_OF,
      onSuccess: ({ wallet, apiKey }) => {
        rememberKey(wallet.id, apiKey.fullKey);
        void client.invalidateQueries({ queryKey: ['wallets'] });
        void client.invalidateQueries({ queryKey: ['stats'] });
      },
    },
  );
  if (creating.data) {
    return <Created wallet={creating.data.wallet} fullKey={creating.data.apiKey.fullKey} />;
  }
  return (
    <Stack gap="lg" maw={640}>
      <Title order={1}>New wallet</Title>
      <form noValidate onSubmit={creating.submit}>
        <Stack gap="lg">
          <Card title="What it may spend">
            <Stack>
              <TextInput
                label="Name"
                placeholder="Groceries agent"
                required
                maxLength={100}
                {...form.getInputProps('name')}
              />
              <SimpleGrid cols={{ base: 1, xs: 2 }}>
                <MoneyInput label="At a time, at most" required {...form.getInputProps('spendLimitPerTx')} />
                <MoneyInput
                  label="In a period, at most"
                  required
                  {...form.getInputProps('spendLimitPeriod')}
                />
                <TextInput
                  label="The period, in days"
                  description="It rolls: the last so many days, at any time"
                  inputMode="numeric"
                  required
                  {...form.getInputProps('periodWindowDays')}
                />
                <TextInput
                  label="Until the end of"
                  description="After this day it pays nothing"
                  type="date"
                  required
                  min={dateInput(0)}
                  {...form.getInputProps('expiry')}
                />
              </SimpleGrid>
              <Switch
                withThumbIndicator={false}
                label="Only at merchants that I list"
                {...form.getInputProps('useAllowlist', { type: 'checkbox' })}
              />
              <Collapse expanded={form.values.useAllowlist}>
                <TagsInput
                  label="Merchants"
                  description="Press Enter after each name. Upper and lower case are the same."
                  placeholder={form.values.merchantAllowlist.length > 0 ? '' : 'Shoprite'}
                  acceptValueOnBlur
                  splitChars={[',', ';']}
                  {...form.getInputProps('merchantAllowlist')}
                  error={form.errors.merchantAllowlist}
                />
              </Collapse>
            </Stack>
          </Card>
          <Alert variant="light" color="teal" aria-live="polite" title="In a sentence">
            <Text size="sm">{ruleInWords(form.values)}</Text>
          </Alert>
          <Refused error={creating.refusal} />
          <Group>
            <Button type="submit" loading={creating.isPending}>
              Create wallet
            </Button>
            <Button component={Link} to="/" variant="default">
              Cancel
            </Button>
          </Group>
        </Stack>
      </form>
    </Stack>
  );
}

function Created({ wallet, fullKey }: { wallet: { id: string; name: string }; fullKey: string }) {
  useTitle('Wallet created');
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <Stack gap="lg" maw={760}>
      <Title order={1} ref={heading} tabIndex={-1} style={{ outline: 'none' }}>
        {wallet.name} is ready
      </Title>
      <Card title="API key">
        <Stack gap="sm">
          <Alert color="yellow" variant="light" p="sm">
            <Text size="sm">
              This is shown once. Give it to the agent or keep it where secrets are kept; it can’t be read
              again.
            </Text>
          </Alert>
          <Code value={fullKey} name="API key" />
        </Stack>
      </Card>
      <Card title="A payment, as the agent makes it">
        <Code value={curlOf(fullKey)} name="command" />
      </Card>
      <Group>
        <Button component={Link} to={`/wallets/${wallet.id}`}>
          Open the wallet
        </Button>
        <Anchor component={Link} to="/wallets/new" reloadDocument size="sm">
          Create another
        </Anchor>
      </Group>
    </Stack>
  );
}

const EXAMPLE = {
  amount: 125_050,
  merchantName: 'Shoprite',
  recipientAccountNo: '0123456789',
  recipientBankCode: '058',
  reason: 'Groceries',
};

function curlOf(key: string): string {
  return [
    `curl -X POST ${window.location.origin}/api/payment-intent \\`,
    `  -H 'x-api-key: ${key}' \\`,
    `  -H 'content-type: application/json' \\`,
    `  -H "idempotency-key: $(uuidgen)" \\`,
    `  -d '${JSON.stringify(EXAMPLE, null, 2)}'`,
  ].join('\n');
}
