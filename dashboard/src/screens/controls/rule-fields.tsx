import '../../styles/fields.css';
import { Collapse, SimpleGrid, Switch, TagsInput, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { DateField } from '../../parts/forms/date-field.js';
import { MoneyInput } from '../../parts/money/money-input.js';
import { Unit } from '../../parts/forms/unit.js';
import type { RuleTyped } from '../../wallet/rule.js';
import { dateInput } from '../../text/time.js';
import {
  amountProblem,
  daysProblem,
  expiryProblem,
  nameProblem,
  periodLimitProblem,
} from '../../text/validation.js';

type LimitsTyped = Omit<RuleTyped, 'name'>;

/** The rules of a form of {@link WalletLimitFields}, all said at once. */
export const WALLET_LIMIT_VALIDATION = {
  spendLimitPerTx: amountProblem,
  spendLimitPeriod: (value: string, { spendLimitPerTx }: LimitsTyped) =>
    periodLimitProblem(value, spendLimitPerTx),
  periodWindowDays: daysProblem,
  expiry: (value: string) => expiryProblem(value),
  merchantAllowlist: (value: readonly string[], { useAllowlist }: LimitsTyped) =>
    useAllowlist && value.length === 0 ? 'Add at least one merchant' : null,
};

export const RULE_VALIDATION = { name: nameProblem, ...WALLET_LIMIT_VALIDATION };

/** Errors of the rules that name no field belong to these. */
export const RULE_FIELD_OF: Readonly<Record<string, string>> = {
  EXPIRY_IN_PAST: 'expiry',
  ALLOWLIST_REQUIRED: 'merchantAllowlist',
  PERIOD_LIMIT_TOO_LOW: 'spendLimitPeriod',
};

interface Props<Values extends LimitsTyped> {
  /** They stand in one line where there is room. */
  isWide?: boolean;
  form: Pick<UseFormReturnType<Values>, 'getInputProps' | 'values' | 'errors'>;
}

/** A wallet's name and what it may spend, to be typed. */
export function RuleFields<Values extends RuleTyped>({
  form,
  isNew = false,
}: Props<Values> & { isNew?: boolean }) {
  return (
    <>
      <TextInput
        label="Name"
        placeholder="Groceries agent"
        required
        maxLength={100}
        autoFocus={isNew}
        {...form.getInputProps('name')}
      />
      <WalletLimitFields form={form} />
    </>
  );
}

/** What a wallet may spend, to be typed. */
export function WalletLimitFields<Values extends LimitsTyped>({ form, isWide }: Props<Values>) {
  const { useAllowlist, merchantAllowlist } = form.values;
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2, ...(isWide && { lg: 4 }) }}>
        <MoneyInput
          label="Per-payment limit"
          description="The most a single payment can be"
          required
          data-autofocus
          {...form.getInputProps('spendLimitPerTx')}
        />
        <MoneyInput
          label="Spending limit"
          description="The most in one rolling window"
          required
          {...form.getInputProps('spendLimitPeriod')}
        />
        <TextInput
          label="Rolling window"
          description="How far back it counts"
          inputMode="numeric"
          required
          rightSection={<Unit>days</Unit>}
          rightSectionWidth={52}
          {...form.getInputProps('periodWindowDays')}
        />
        <DateField
          label="Expires on"
          description="Pays until the end of this day"
          required
          min={dateInput(0)}
          {...form.getInputProps('expiry')}
        />
      </SimpleGrid>
      <Switch
        withThumbIndicator={false}
        label="Restrict to specific merchants"
        {...form.getInputProps('useAllowlist', { type: 'checkbox' })}
      />
      <Collapse expanded={useAllowlist}>
        <TagsInput
          label="Merchants"
          description="Press Enter after each name. Not case-sensitive."
          placeholder={merchantAllowlist.length > 0 ? '' : 'Shoprite'}
          acceptValueOnBlur
          splitChars={[',', ';']}
          {...form.getInputProps('merchantAllowlist')}
          error={form.errors.merchantAllowlist}
        />
      </Collapse>
    </>
  );
}
