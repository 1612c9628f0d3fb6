import { Button, Group, Select, SimpleGrid, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { memo, useState } from 'react';
import { BLOCK_TITLES } from '../../api/checks.js';
import { keys as readKeys } from '../../api/keys.js';
import { queryKeys } from '../../api/query-keys.js';
import type { WalletName } from '../../api/types.js';
import { nameOfKey } from '../../wallet/key-words.js';
import { koboTyped, NAIRA_PROBLEM } from '../../money/money.js';
import { SearchIcon } from '../../parts/display/icons.js';
import { MoneyInput } from '../../parts/money/money-input.js';
import { DateField } from '../../parts/forms/date-field.js';
import { useAddress } from '../../parts/state/use-address.js';
import { useTyped } from '../../parts/forms/use-typed.js';
import {
  type FilterName,
  type Filters as Chosen,
  isFiltered,
  rangeProblem,
  WITHOUT,
} from '../../payments/payment-filters.js';
import { PAYMENT_STATUSES, SPENT } from '../../payments/status.js';

const STATUSES = [
  ...Object.entries(PAYMENT_STATUSES).map(([value, { name }]) => ({ value, label: name })),
  { value: SPENT, label: 'Spent: not refunded' },
  { value: 'paid,processing', label: 'Paid or processing' },
  { value: 'blocked,denied,expired', label: 'Any block' },
  { value: 'failed,returned', label: 'Failed or sent back' },
];
const FURTHER = [
  ...(['from', 'to', 'min', 'max', 'merchant', 'key'] as const),
  ...(['run', 'purpose', 'reason', 'category', 'costCentre', 'without'] as const),
] as const satisfies readonly FilterName[];
const REASONS = Object.entries(BLOCK_TITLES).map(([value, label]) => ({ value, label }));
const MISSING = Object.entries(WITHOUT).map(([value, label]) => ({ value, label }));

interface Props {
  filters: Chosen;
  /** Null: they are of one wallet. */
  wallets: readonly WalletName[] | null;
  /** The one wallet that they are of, or are narrowed to. */
  walletId: string | null;
}

export const Filters = memo(function Filters({ filters, wallets, walletId }: Props) {
  const address = useAddress();
  const further = FURTHER.filter((name) => filters[name] !== '').length;
  const isWide = window.matchMedia('(min-width: 48em)').matches;
  // On a narrow screen they would push the payments out of sight.
  const [isOpen, { toggle, open }] = useDisclosure(further > 0 && isWide);
  const [known, setKnown] = useState(further);
  // A link brought more.
  if (further !== known) {
    setKnown(further);
    if (further > known && isWide) open();
  }
  // The first page of what is then found.
  const choose = (changes: Partial<Record<FilterName, string | null>>) =>
    address.set({ ...changes, page: null, after: null }, { replace: true });
  return (
    <div className="toolbar">
      <Group px="md" py="sm" gap="xs" className="filters">
        <Typed
          label="Search"
          placeholder="Merchant, amount, account, key, ID…"
          value={filters.search}
          onTyped={(search) => choose({ search })}
          isSearch
        />
        <Select
          size="xs"
          className="filter"
          aria-label="Status"
          placeholder="Any status"
          clearable
          clearButtonProps={{ 'aria-label': 'Any status' }}
          data={STATUSES}
          value={filters.status || null}
          onChange={(status) => choose({ status })}
        />
        {wallets && (
          <Select
            size="xs"
            className="filter"
            aria-label="Wallet"
            placeholder="Any wallet"
            clearable
            searchable
            nothingFoundMessage="No such wallet"
            clearButtonProps={{ 'aria-label': 'Any wallet' }}
            data={wallets.map(({ id, name }) => ({ value: id, label: name }))}
            value={filters.wallet || null}
            // A key is of one wallet.
            onChange={(wallet) => choose({ wallet, key: null })}
          />
        )}
        <Button size="xs" variant="default" onClick={toggle} aria-expanded={isOpen}>
          {further > 0 ? `More filters (${further})` : 'More filters'}
        </Button>
        {isFiltered(filters) && (
          <Button
            size="xs"
            variant="subtle"
            onClick={() =>
              choose(Object.fromEntries(Object.keys(filters).map((name) => [name as FilterName, null])))
            }
          >
            Clear
          </Button>
        )}
      </Group>
      {isOpen && <Further filters={filters} walletId={walletId} choose={choose} />}
    </div>
  );
});

function Further({
  filters,
  walletId,
  choose,
}: {
  filters: Chosen;
  walletId: string | null;
  choose: (changes: Partial<Record<FilterName, string | null>>) => void;
}) {
  const problems = rangeProblem(filters);
  return (
    <SimpleGrid cols={{ base: 2, md: 3, lg: 6 }} spacing="xs" px="md" pb="sm" className="filters-more">
      <DateField size="xs" label="From" value={filters.from} onChange={(value) => choose({ from: value })} />
      <DateField
        size="xs"
        label="To"
        value={filters.to}
        error={problems.to}
        onChange={(value) => choose({ to: value })}
      />
      <Amount label="At least" value={filters.min} onTyped={(min) => choose({ min })} />
      <Amount label="At most" value={filters.max} problem={problems.max} onTyped={(max) => choose({ max })} />
      <Typed
        label="Merchant"
        placeholder="Shoprite"
        value={filters.merchant}
        onTyped={(merchant) => choose({ merchant })}
      />
      <KeyChoice walletId={walletId} value={filters.key} onChoose={(key) => choose({ key })} />
      <Typed label="Run" placeholder="run-0417" value={filters.run} onTyped={(run) => choose({ run })} />
      <Typed
        label="Purpose"
        placeholder="Groceries"
        value={filters.purpose}
        onTyped={(purpose) => choose({ purpose })}
      />
      <Typed
        label="Category"
        placeholder="Office"
        value={filters.category}
        onTyped={(category) => choose({ category })}
      />
      <Typed
        label="Cost centre"
        placeholder="Lagos"
        value={filters.costCentre}
        onTyped={(costCentre) => choose({ costCentre })}
      />
      <Select
        size="xs"
        label="Block reason"
        placeholder="Any reason"
        clearable
        clearButtonProps={{ 'aria-label': 'Any reason' }}
        data={REASONS}
        value={filters.reason || null}
        onChange={(reason) => choose({ reason })}
      />
      <Select
        size="xs"
        label="Without a"
        placeholder="Nothing missing"
        clearable
        clearButtonProps={{ 'aria-label': 'Nothing missing' }}
        data={MISSING}
        value={filters.without || null}
        onChange={(without) => choose({ without })}
      />
    </SimpleGrid>
  );
}

/** The keys of one wallet, the dead ones too: which wallet must be chosen first. */
function KeyChoice({
  walletId,
  value,
  onChoose,
}: {
  walletId: string | null;
  value: string;
  onChoose: (key: string | null) => void;
}) {
  const { data = [] } = useQuery({
    queryKey: queryKeys.keys(walletId),
    queryFn: () => readKeys(walletId ?? ''),
    enabled: walletId !== null,
  });
  const known = data.map((key) => ({ value: key.id, label: `${nameOfKey(key)} (${key.keyPrefix}…)` }));
  // Keeps the address's choice until the keys are loaded.
  const isKnown = value === '' || known.some((key) => key.value === value);
  return (
    <Select
      size="xs"
      label="Key"
      placeholder={walletId === null ? 'Choose a wallet first' : 'Any key'}
      disabled={walletId === null && value === ''}
      clearable
      searchable
      nothingFoundMessage="No such key"
      clearButtonProps={{ 'aria-label': 'Any key' }}
      data={isKnown ? known : [...known, { value, label: 'The chosen key' }]}
      value={value || null}
      onChange={onChoose}
    />
  );
}

interface TypedProps {
  label: string;
  value: string;
  onTyped: (value: string) => void;
}

function Typed({
  label,
  placeholder,
  value,
  onTyped,
  isSearch,
}: TypedProps & { placeholder: string; isSearch?: boolean }) {
  const typed = useTyped(value, onTyped);
  return (
    <TextInput
      size="xs"
      placeholder={placeholder}
      maxLength={200}
      value={typed.value}
      onChange={({ currentTarget }) => typed.type(currentTarget.value)}
      {...(isSearch
        ? { 'aria-label': label, leftSection: <SearchIcon size={14} />, className: 'filter-search' }
        : { label })}
    />
  );
}

function Amount({ label, value, problem, onTyped }: TypedProps & { problem?: string | null }) {
  const typed = useTyped(value, onTyped);
  const unread = typed.value !== '' && koboTyped(typed.value) === null ? NAIRA_PROBLEM : null;
  return (
    <MoneyInput
      size="xs"
      label={label}
      value={typed.value}
      onChange={typed.type}
      error={unread ?? problem}
      errorProps={{ className: 'wrap' }}
    />
  );
}
