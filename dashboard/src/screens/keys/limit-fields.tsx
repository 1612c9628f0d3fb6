import '../../styles/fields.css';
import { MultiSelect, SimpleGrid, Switch, TagsInput, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { NewKey, Wallet } from '../../api/types.js';
import { koboTyped } from '../../money/money.js';
import { MoneyInput } from '../../parts/money/money-input.js';
import { accountProblem, amountProblem, daysProblem } from '../../text/validation.js';
import { AccountFields, type AccountTyped } from '../controls/account-fields.js';

/** What a key may do within what its wallet may, as it is typed; empty: not narrowed. */
export interface LimitsTyped extends AccountTyped {
  isLimited: boolean;
  spendLimitPerTx: string;
  spendLimitPeriod: string;
  periodWindowDays: string;
  totalCap: string;
  maxPayments: string;
  allowedMerchants: string[];
  isOnePayee: boolean;
}

export const NO_LIMITS: LimitsTyped = {
  isLimited: false,
  spendLimitPerTx: '',
  spendLimitPeriod: '',
  periodWindowDays: '',
  totalCap: '',
  maxPayments: '',
  allowedMerchants: [],
  isOnePayee: false,
  bankCode: null,
  accountNumber: '',
};

const optional = (problem: (value: string) => string | null) => (value: string, typed: LimitsTyped) =>
  typed.isLimited && value.trim() ? problem(value) : null;
const wholeProblem = (value: string) =>
  /^[1-9]\d{0,8}$/.test(value.trim()) ? null : 'Enter a whole number, 1 or more';
const ofPayee = (problem: (value: string) => string | null) => (value: string, typed: LimitsTyped) =>
  typed.isLimited && typed.isOnePayee ? problem(value) : null;

export const LIMIT_VALIDATION = {
  spendLimitPerTx: optional(amountProblem),
  spendLimitPeriod: optional(amountProblem),
  periodWindowDays: optional(daysProblem),
  totalCap: optional(amountProblem),
  maxPayments: optional(wholeProblem),
  accountNumber: ofPayee(accountProblem),
  bankCode: (value: string | null, typed: LimitsTyped) =>
    typed.isLimited && typed.isOnePayee && !value ? 'Choose a bank' : null,
};

/** The limits as the API takes them; null for none. */
export function limitsOf(typed: LimitsTyped): NewKey['limits'] {
  if (!typed.isLimited) return null;
  const amounts = {
    spendLimitPerTx: koboTyped(typed.spendLimitPerTx),
    spendLimitPeriod: koboTyped(typed.spendLimitPeriod),
    periodWindowDays: Number(typed.periodWindowDays) || null,
    totalCap: koboTyped(typed.totalCap),
    maxPayments: Number(typed.maxPayments) || null,
    allowedMerchants: typed.allowedMerchants.length > 0 ? typed.allowedMerchants : null,
    payee:
      typed.isOnePayee && typed.bankCode
        ? { accountNumber: typed.accountNumber.trim(), bankCode: typed.bankCode }
        : null,
  };
  const chosen = Object.entries(amounts).filter(([, value]) => value !== null);
  return chosen.length > 0 ? Object.fromEntries(chosen) : null;
}

export function LimitFields<Values extends LimitsTyped>({
  form,
  wallet,
}: {
  form: Pick<UseFormReturnType<Values>, 'getInputProps' | 'values' | 'errors'>;
  wallet: Wallet;
}) {
  const { isLimited, isOnePayee, allowedMerchants } = form.values;
  const Merchants = wallet.useAllowlist ? MultiSelect : TagsInput;
  return (
    <>
      <Switch
        withThumbIndicator={false}
        label="Limit this key"
        description="Tighter than the wallet’s rules, which apply too"
        {...form.getInputProps('isLimited', { type: 'checkbox' })}
      />
      {isLimited && (
        <>
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            <MoneyInput
              label="Per-payment limit"
              description="The most at a time"
              {...form.getInputProps('spendLimitPerTx')}
            />
            <MoneyInput
              label="Total limit"
              description="Over the life of the key"
              {...form.getInputProps('totalCap')}
            />
            <MoneyInput
              label="Spending limit"
              description="In one rolling window"
              {...form.getInputProps('spendLimitPeriod')}
            />
            <TextInput
              label="Rolling window"
              description="In days"
              inputMode="numeric"
              placeholder={String(wallet.periodWindowDays)}
              {...form.getInputProps('periodWindowDays')}
            />
            <TextInput
              label="Number of payments"
              description="1 for a single use"
              inputMode="numeric"
              {...form.getInputProps('maxPayments')}
            />
          </SimpleGrid>
          <Merchants
            label="Merchants"
            description={
              wallet.useAllowlist ? 'Of those that the wallet allows' : 'Press Enter after each name'
            }
            placeholder={allowedMerchants.length > 0 ? '' : 'Any that the wallet may pay'}
            {...(wallet.useAllowlist && { data: wallet.merchantAllowlist })}
            {...form.getInputProps('allowedMerchants')}
            error={form.errors.allowedMerchants}
          />
          <Switch
            withThumbIndicator={false}
            label="Pays one account only"
            {...form.getInputProps('isOnePayee', { type: 'checkbox' })}
          />
          {isOnePayee && <AccountFields form={form} />}
        </>
      )}
    </>
  );
}
