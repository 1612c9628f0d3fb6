import { Button, Group, Select, SimpleGrid, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { memo } from 'react';
import type { WalletName } from '../../api/types.js';
import { koboTyped, NAIRA_PROBLEM } from '../../money.js';
import { SearchIcon } from '../../parts/icons.js';
import { MoneyInput } from '../../parts/money-input.js';
import { useAddress } from '../../parts/use-address.js';
import { useTyped } from '../../parts/use-typed.js';
import { type FilterName, type Filters as Chosen, isFiltered, rangeProblem } from '../../payment-filters.js';
import { PAYMENT_STATUSES } from '../../status.js';

const STATUSES = Object.entries(PAYMENT_STATUSES).map(([value, { name }]) => ({ value, label: name }));
const FURTHER = ['from', 'to', 'min', 'max', 'merchant'] as const satisfies readonly FilterName[];

interface Props {
  filters: Chosen;
  /** Null: they are of one wallet. */
  wallets: readonly WalletName[] | null;
}

/** What the list is narrowed to. */
export const Filters = memo(function Filters({ filters, wallets }: Props) {
  const address = useAddress();
  const further = FURTHER.filter((name) => filters[name] !== '').length;
  const [isOpen, { toggle }] = useDisclosure(further > 0);
  // The first page of what is then found.
  const choose = (changes: Partial<Record<FilterName, string | null>>) =>
    address.set({ ...changes, after: null }, { replace: true });
  return (
    <div className="toolbar">
      <Group px="md" py="sm" gap="xs" className="filters">
        <Typed
          label="Search"
          placeholder="Merchant, reason, account or ID"
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
            onChange={(wallet) => choose({ wallet })}
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
      {isOpen && <Further filters={filters} choose={choose} />}
    </div>
  );
});

function Further({
  filters,
  choose,
}: {
  filters: Chosen;
  choose: (changes: Partial<Record<FilterName, string | null>>) => void;
}) {
  const problems = rangeProblem(filters);
  return (
    <SimpleGrid cols={{ base: 2, md: 5 }} spacing="xs" px="md" pb="sm" className="filters-more">
      <TextInput
        size="xs"
        type="date"
        label="From"
        value={filters.from}
        onChange={({ currentTarget: { value } }) => choose({ from: value })}
      />
      <TextInput
        size="xs"
        type="date"
        label="To"
        value={filters.to}
        error={problems.to}
        onChange={({ currentTarget: { value } }) => choose({ to: value })}
      />
      <Amount label="At least" value={filters.min} onTyped={(min) => choose({ min })} />
      <Amount label="At most" value={filters.max} problem={problems.max} onTyped={(max) => choose({ max })} />
      <Typed
        label="Merchant"
        placeholder="Shoprite"
        value={filters.merchant}
        onTyped={(merchant) => choose({ merchant })}
      />
    </SimpleGrid>
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
