import { Select, SimpleGrid, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { accountHolder } from '../../api/calls.js';
import { queryKeys } from '../../api/query-keys.js';
import { useBanks } from '../../text/banks.js';
import { isNotFound } from '../../parts/loading/failure.js';
import { accountProblem } from '../../text/validation.js';

export interface AccountTyped {
  bankCode: string | null;
  accountNumber: string;
}

export const ACCOUNT_VALIDATION = {
  bankCode: (value: string | null) => (value ? null : 'Choose a bank'),
  accountNumber: accountProblem,
};

/** A bank account, with the name of its holder as soon as it is known. */
export function AccountFields<Values extends AccountTyped>({
  form,
}: {
  form: Pick<UseFormReturnType<Values>, 'getInputProps' | 'values'>;
}) {
  const banks = useBanks();
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <Select
          label="Bank"
          placeholder="Choose a bank"
          searchable
          required
          allowDeselect={false}
          nothingFoundMessage="No such bank"
          data={banks.map(({ code, name }) => ({ value: code, label: name }))}
          {...form.getInputProps('bankCode')}
        />
        <TextInput
          label="Account number"
          inputMode="numeric"
          autoComplete="off"
          maxLength={10}
          required
          {...form.getInputProps('accountNumber')}
        />
      </SimpleGrid>
      <Holder {...form.values} />
    </>
  );
}

function Holder({ bankCode, accountNumber }: AccountTyped) {
  const isComplete = bankCode !== null && accountProblem(accountNumber) === null;
  const query = useQuery({
    queryKey: queryKeys.accountHolder(bankCode, accountNumber.trim()),
    queryFn: () => accountHolder(bankCode ?? '', accountNumber.trim()),
    enabled: isComplete,
    staleTime: Infinity,
  });
  return (
    <Text size="sm" c="dimmed" mih={22} role="status">
      {!isComplete && 'The account holder’s name shows here.'}
      {isComplete && query.isPending && 'Looking up the account…'}
      {isComplete && query.data && (
        <>
          Account holder: <b>{query.data.accountName}</b>
        </>
      )}
      {isComplete && query.isError && (
        <span className="bad">
          {isNotFound(query.error)
            ? 'No account with this number at this bank'
            : 'The holder can’t be looked up now'}
        </span>
      )}
    </Text>
  );
}
