import '../../styles/fields.css';
import { Alert, Button, Checkbox, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { accountHolder } from '../../api/calls.js';
import { queryKeys } from '../../api/query-keys.js';
import type { PayoutAccount, TransactionDetails } from '../../api/types.js';
import { useBankNames } from '../../text/banks.js';
import { knownAccounts } from '../../payments/checks.js';
import { Actions } from '../../parts/forms/actions.js';
import { isNotFound, Refused } from '../../parts/loading/failure.js';
import { Modal } from '../../parts/display/windows.js';
import { usePayeeChanges } from '../payees/use-payees.js';
import { Allowed } from '../../parts/session/allowed.js';

interface Props {
  payment: TransactionDetails;
  opened: boolean;
  onClose: () => void;
}

const useHolder = ({ bankCode, accountNumber }: PayoutAccount) =>
  useQuery({
    queryKey: queryKeys.accountHolder(bankCode, accountNumber),
    queryFn: () => accountHolder(bankCode, accountNumber),
    staleTime: Infinity,
    retry: false,
  });

/** Sets the accounts beside each other, with their holders, before a merchant may be paid at another one. */
export default function TrustPayee({ payment, opened, onClose }: Props) {
  const { merchantName, recipientAccountNo: accountNumber, recipientBankCode: bankCode } = payment;
  const { trust } = usePayeeChanges(payment.walletId);
  const [isSure, setIsSure] = useState(false);
  const known = knownAccounts(payment.auditEvents);
  const leave = () => {
    trust.reset();
    setIsSure(false);
    onClose();
  };
  return (
    <Modal opened={opened} onClose={leave} title="Trust this payee?" size="lg">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (isSure) trust.mutate({ merchantName, accountNumber, bankCode }, { onSuccess: leave });
        }}
      >
        <Stack>
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            <Stack gap="sm">
              {known.length === 0 ? (
                <Paper withBorder p="sm">
                  <Text size="xs" c="dimmed">
                    Known account
                  </Text>
                  <Text size="sm">None yet</Text>
                </Paper>
              ) : (
                known.map((each) => (
                  <Account
                    key={`${each.bankCode} ${each.accountNumber}`}
                    name="Known account"
                    account={each}
                  />
                ))
              )}
            </Stack>
            <Account name="New account" account={{ bankCode, accountNumber }} isNew />
          </SimpleGrid>
          {known[0] && <Difference known={known[0]} asked={{ bankCode, accountNumber }} />}
          <Checkbox
            checked={isSure}
            onChange={({ currentTarget }) => setIsSure(currentTarget.checked)}
            classNames={{ label: 'wrap' }}
            label="Did you call them?"
            description={`Yes: I called ${merchantName} on a number that I had before, not one from this invoice or message, and they confirmed the new account.`}
          />
          <Refused error={trust.error} />
          <Actions onCancel={leave}>
            <Allowed act="payees.manage">
              <Button type="submit" color="red" disabled={!isSure} loading={trust.isPending}>
                Trust this payee
              </Button>
            </Allowed>
          </Actions>
        </Stack>
      </form>
    </Modal>
  );
}

function Account({ name, account, isNew }: { name: string; account: PayoutAccount; isNew?: boolean }) {
  const bankName = useBankNames();
  const holder = useHolder(account);
  return (
    <Paper
      withBorder
      p="sm"
      component="section"
      aria-label={name}
      className={isNew ? 'new-account' : undefined}
    >
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <Text fw={600} className="wrap" role="status">
        {holder.data?.accountName ??
          (!holder.isError
            ? 'Looking up the holder…'
            : isNotFound(holder.error)
              ? 'No such account at this bank'
              : 'The holder can’t be looked up now')}
      </Text>
      <Text size="sm">
        {bankName(account.bankCode)} <span className="tabular">{account.accountNumber}</span>
      </Text>
    </Paper>
  );
}

/** Another holder is the plainest sign of a fraud; the same one is none of the opposite. */
function Difference({ known, asked }: { known: PayoutAccount; asked: PayoutAccount }) {
  const [before, now] = [useHolder(known).data?.accountName, useHolder(asked).data?.accountName];
  const same = (name: string) => name.trim().toLowerCase().replace(/\s+/g, ' ');
  if (!before || !now || same(before) === same(now)) return null;
  return (
    <Alert color="red" variant="light" role="alert" p="sm">
      <Text size="sm" className="wrap">
        The accounts belong to different holders: {before} before, {now} now.
      </Text>
    </Alert>
  );
}
