import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from 'react-router';
import { createWallet } from '../../api/calls.js';
import { queryKeys } from '../../api/query-keys.js';
import type { Wallet } from '../../api/types.js';
import { newestNamed } from '../../api/wallet-list.js';
import { koboTyped } from '../../money/money.js';
import { useKeptForm } from '../../parts/state/kept-form.js';
import { Back } from '../../parts/frame/back.js';
import { Card } from '../../parts/display/card.js';
import { Refused } from '../../parts/loading/failure.js';
import { MaybeCreated } from '../../parts/forms/maybe-created.js';
import { Moment } from '../../parts/display/moment.js';
import { useSending } from '../../parts/forms/sending.js';
import { useTitle } from '../../parts/frame/title.js';
import { useLostAnswer } from '../../parts/forms/use-lost-answer.js';
import { type RuleTyped, ruleInWords } from '../../wallet/rule.js';
import { holdUntilStored, rememberKey } from '../../session/secrets.js';
import { useUser } from '../../session/session.js';
import { dateInput, endOfDay } from '../../text/time.js';
import { RULE_FIELD_OF, RULE_VALIDATION, RuleFields } from '../controls/rule-fields.js';
import { Allowed } from '../../parts/session/allowed.js';

interface Typed extends RuleTyped {
  merchantAllowlist: string[];
}

export function NewWallet() {
  useTitle('New wallet');
  const user = useUser();
  const client = useQueryClient();
  const navigate = useNavigate();
  const form = useKeptForm<Typed>('new wallet', {
    initialValues: {
      name: '',
      spendLimitPerTx: '5,000.00',
      spendLimitPeriod: '20,000.00',
      periodWindowDays: '30',
      expiry: dateInput(90),
      useAllowlist: false,
      merchantAllowlist: [],
    },
    validate: RULE_VALIDATION,
  });
  const { found: alike, create } = useLostAnswer<Wallet>('new wallet without an answer');
  const creating = useSending(
    form,
    (values) =>
      create(
        () => newestNamed(values.name),
        () =>
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
      ),
    {
      fieldOf: RULE_FIELD_OF,
      onSuccess: (created) => {
        if (!created) return;
        const { wallet, apiKey } = created;
        rememberKey(wallet.id, apiKey.fullKey);
        holdUntilStored(wallet.id, apiKey.fullKey);
        void client.invalidateQueries({ queryKey: queryKeys.wallets() });
        void client.invalidateQueries({ queryKey: queryKeys.walletNames });
        void client.invalidateQueries({ queryKey: queryKeys.stats() });
        void navigate(`/wallets/${wallet.id}/created`, { replace: true });
      },
    },
  );
  return (
    <Stack gap="lg" maw={680}>
      <div>
        <Back to="/">Wallets</Back>
        <Title order={1}>New wallet</Title>
      </div>
      <form noValidate onSubmit={creating.submit}>
        <Stack gap="lg">
          <Card title="Rules">
            <Stack>
              <RuleFields form={form} isNew />
            </Stack>
          </Card>
          <Alert variant="light" color="ink" aria-live="polite" title="Summary">
            <Text size="sm" className="wrap">
              {ruleInWords(form.values)}
            </Text>
          </Alert>
          <Refused error={creating.refusal} />
          {alike && <Alike wallet={alike} />}
          <Group>
            <Allowed act="wallets.create">
              <Button type="submit" loading={creating.isPending}>
                Create wallet
              </Button>
            </Allowed>
            <Button component={Link} to="/" variant="default">
              Cancel
            </Button>
          </Group>
        </Stack>
      </form>
    </Stack>
  );
}

function Alike({ wallet: { id, name, createdAt } }: { wallet: Wallet }) {
  return (
    <MaybeCreated>
      There is a wallet named “{name}”, created <Moment at={createdAt} />.{' '}
      <Link to={`/wallets/${id}?tab=keys`}>Open it</Link> and create a key if it is this one. Otherwise press
      “Create wallet” again.
    </MaybeCreated>
  );
}
