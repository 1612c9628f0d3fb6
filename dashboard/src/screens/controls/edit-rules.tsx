import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { changeWallet } from '../../api/calls.js';
import type { Wallet } from '../../api/types.js';
import { differences } from '../../changes-in-words.js';
import { koboTyped, naira } from '../../money.js';
import { Refused } from '../../parts/failure.js';
import { useSending } from '../../parts/sending.js';
import { toast } from '../../parts/toasts.js';
import { useAddress } from '../../parts/use-address.js';
import type { RuleTyped } from '../../rule.js';
import { endOfDay, inputOf } from '../../time.js';
import { RULE_FIELD_OF, RULE_VALIDATION, RuleFields } from './rule-fields.js';
import { useRefresh } from './use-refresh.js';

interface Typed extends RuleTyped {
  merchantAllowlist: string[];
}

/** Changes what the wallet may spend; open when the address says so. */
export function EditRules({ wallet }: { wallet: Wallet }) {
  const address = useAddress();
  const close = () => address.set({ edit: null });
  return (
    <Modal opened={address.get('edit') === 'rules'} onClose={close} title="Edit rules" size="lg">
      <Form wallet={wallet} onDone={close} />
    </Modal>
  );
}

/** What can be changed, as the API names it. */
function rulesOf(wallet: Wallet) {
  const { name, spendLimitPerTx, spendLimitPeriod, periodWindowDays, expiry } = wallet;
  const { useAllowlist, merchantAllowlist } = wallet;
  return {
    name,
    spendLimitPerTx,
    spendLimitPeriod,
    periodWindowDays,
    expiry,
    useAllowlist,
    merchantAllowlist,
  };
}

type Rules = ReturnType<typeof rulesOf>;

function typedOf(rules: Rules): Typed {
  return {
    ...rules,
    spendLimitPerTx: naira(rules.spendLimitPerTx).slice(1),
    spendLimitPeriod: naira(rules.spendLimitPeriod).slice(1),
    periodWindowDays: String(rules.periodWindowDays),
    expiry: inputOf(new Date(rules.expiry)),
  };
}

/** What was typed, as rules; what can't be read yet stays as it was. */
function rulesTyped(typed: Typed, was: Rules): Rules {
  // A day that was left alone keeps its time.
  const isSameDay = typed.expiry === inputOf(new Date(was.expiry));
  return {
    name: typed.name.trim(),
    spendLimitPerTx: koboTyped(typed.spendLimitPerTx) ?? was.spendLimitPerTx,
    spendLimitPeriod: koboTyped(typed.spendLimitPeriod) ?? was.spendLimitPeriod,
    periodWindowDays: Number(typed.periodWindowDays) || was.periodWindowDays,
    expiry: (!isSameDay && endOfDay(typed.expiry)?.toISOString()) || was.expiry,
    useAllowlist: typed.useAllowlist,
    merchantAllowlist: typed.useAllowlist ? typed.merchantAllowlist : [],
  };
}

function Form({ wallet, onDone }: { wallet: Wallet; onDone: () => void }) {
  // What it was when one began: a change made meanwhile by somebody else is noticed, not overwritten.
  const [begun] = useState({ rules: rulesOf(wallet), version: wallet.version });
  const refresh = useRefresh(wallet.id);
  const expired = new Date(begun.rules.expiry) <= new Date();
  const form = useForm<Typed>({
    initialValues: typedOf(begun.rules),
    validate: {
      ...RULE_VALIDATION,
      expiry: (value) =>
        !expired && value === inputOf(new Date(begun.rules.expiry)) ? null : RULE_VALIDATION.expiry(value),
    },
  });
  const after = rulesTyped(form.values, begun.rules);
  const changed = differences(begun.rules, after);
  const saving = useSending(
    form,
    () => {
      const fields = Object.entries(after).filter(
        ([field, value]) => JSON.stringify(value) !== JSON.stringify(begun.rules[field as keyof Rules]),
      );
      return changeWallet(wallet.id, { ...Object.fromEntries(fields), version: begun.version });
    },
    {
      fieldOf: RULE_FIELD_OF,
      onSuccess: () => {
        void toast({ message: 'Rules saved. They hold from the next payment on.' });
        refresh();
        onDone();
      },
    },
  );
  return (
    <form noValidate onSubmit={saving.submit}>
      <Stack>
        <RuleFields form={form} />
        <Alert variant="light" color="ink" title="What changes" aria-live="polite">
          {changed.length === 0 ? (
            <Text size="sm">Nothing yet.</Text>
          ) : (
            changed.map((line) => (
              <Text key={line} size="sm" className="wrap">
                {line}.
              </Text>
            ))
          )}
        </Alert>
        <Refused error={saving.refusal} />
        <Group>
          <Button type="submit" loading={saving.isPending} disabled={changed.length === 0}>
            Save rules
          </Button>
          <Button variant="default" onClick={onDone}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
