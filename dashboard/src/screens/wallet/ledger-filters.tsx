import { Group, Select } from '@mantine/core';
import type { LedgerQuery } from '../../api/calls.js';
import { DateField } from '../../parts/forms/date-field.js';
import { useAddress } from '../../parts/state/use-address.js';

const TYPES = [
  { value: 'topup', label: 'Money in' },
  { value: 'debit', label: 'Money out' },
  { value: 'refund', label: 'Refunds' },
] as const;
const NAMES = ['type', 'from', 'to'] as const;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The filter that the address keeps, without what can't be read. */
export function useLedgerFilter(): { filter: LedgerQuery; isFiltered: boolean; problem: string | null } {
  const address = useAddress();
  const [from, to] = [address.get('from') ?? '', address.get('to') ?? ''];
  const type = TYPES.find(({ value }) => value === address.get('type'))?.value;
  const isInverted = DAY.test(from) && DAY.test(to) && to < from;
  return {
    filter: {
      ...(DAY.test(from) && { from }),
      ...(DAY.test(to) && !isInverted && { to }),
      ...(type && { type }),
    },
    isFiltered: NAMES.some((name) => address.get(name) !== null),
    problem: isInverted ? 'Before “From”' : null,
  };
}

export function LedgerFilters({ problem }: { problem: string | null }) {
  const address = useAddress();
  const choose = (name: (typeof NAMES)[number]) => (value: string | null) =>
    address.set({ [name]: value, page: null }, { replace: true });
  return (
    <div className="toolbar no-print">
      <Group px="md" py="sm" gap="xs" className="filters" align="flex-start">
        <Select
          size="xs"
          className="filter filter-first"
          aria-label="Type"
          placeholder="Any type"
          clearable
          clearButtonProps={{ 'aria-label': 'Any type' }}
          data={TYPES}
          value={address.get('type')}
          onChange={choose('type')}
        />
        {(['from', 'to'] as const).map((name) => (
          <DateField
            key={name}
            size="xs"
            className="filter-date"
            aria-label={name === 'from' ? 'From' : 'To'}
            error={name === 'to' ? problem : null}
            value={address.get(name) ?? ''}
            onChange={choose(name)}
          />
        ))}
      </Group>
    </div>
  );
}
