import { Button, Stack, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { payees as readPayees } from '../../api/payees.js';
import { queryKeys } from '../../api/query-keys.js';
import type { Payee, WalletDetails } from '../../api/types.js';
import { useBankNames } from '../../text/banks.js';
import { useKeptState } from '../../parts/state/kept.js';
import { useKeptForm } from '../../parts/state/kept-form.js';
import { Answer } from '../../parts/loading/answer.js';
import { Card } from '../../parts/display/card.js';
import { Empty } from '../../parts/lists/empty.js';
import { Actions } from '../../parts/forms/actions.js';
import { Refused } from '../../parts/loading/failure.js';
import { PlusIcon } from '../../parts/display/icons.js';
import { Moment } from '../../parts/display/moment.js';
import { Pager } from '../../parts/lists/pager.js';
import { Cell, Row, Rows, RowsLoading, What } from '../../parts/lists/rows.js';
import { useSending } from '../../parts/forms/sending.js';
import { Tag } from '../../parts/display/tag.js';
import { useAddress } from '../../parts/state/use-address.js';
import { overview } from '../../live/poll-intervals.js';
import { ACCOUNT_VALIDATION, AccountFields, type AccountTyped } from '../controls/account-fields.js';
import { Merchants } from './merchants.js';
import { usePayeeChanges } from './use-payees.js';
import { Modal } from '../../parts/display/windows.js';
import { Allowed } from '../../parts/session/allowed.js';

/** The accounts that merchants may be paid at, and the merchants that were paid. */
export function Payees({ walletId, details }: { walletId: string; details: WalletDetails | undefined }) {
  const address = useAddress();
  const page = address.page();
  const [isAdding, setIsAdding] = useKeptState(`adding a payee to ${walletId}`, false);
  const close = () => setIsAdding(false);
  const query = useQuery({
    queryKey: queryKeys.payees(walletId, page),
    queryFn: () => readPayees(walletId, page),
    refetchInterval: overview,
    placeholderData: keepPreviousData,
  });
  const isClosed = details?.wallet.status === 'CLOSED';
  return (
    <Stack gap="lg">
      <Card
        title="Payees"
        flush
        aside={
          !isClosed && (
            <Allowed act="payees.manage">
              <Button
                size="xs"
                variant="default"
                leftSection={<PlusIcon size={14} />}
                onClick={() => setIsAdding(true)}
              >
                Add payee
              </Button>
            </Allowed>
          )
        }
      >
        <Answer of={query} what="The payees" loading={<RowsLoading kind="payee" rows={2} />}>
          {({ data, pagination }) =>
            data.length === 0 ? (
              <Empty title="No payees yet">
                A payee binds a merchant to the bank account it may be paid at, so that an agent can’t be
                talked into paying another one under the same name.
              </Empty>
            ) : (
              <>
                <Rows kind="payee" label="Payees">
                  {data.map((payee) => (
                    <PayeeRow key={payee.id} payee={payee} />
                  ))}
                </Rows>
                <Pager of={pagination} one="payee" />
              </>
            )
          }
        </Answer>
      </Card>
      <Merchants walletId={walletId} merchants={details?.merchants} />
      <Modal opened={isAdding} onClose={close} title="Add payee">
        <AddPayee walletId={walletId} onDone={close} />
      </Modal>
    </Stack>
  );
}

function PayeeRow({ payee }: { payee: Payee }) {
  const bankName = useBankNames();
  const { remove } = usePayeeChanges(payee.walletId);
  return (
    <Row>
      <What
        name={payee.merchantName}
        more={
          <>
            {payee.accountName && `${payee.accountName} · `}
            {bankName(payee.bankCode)} <span className="tabular">{payee.accountNumber}</span>
          </>
        }
      />
      <Cell className="status">
        {payee.origin === 'registered' ? <Tag tone="info">Added</Tag> : <Tag tone="calm">First use</Tag>}
      </Cell>
      <Cell className="when small">
        <Moment at={payee.createdAt} />
      </Cell>
      <Cell className="end menu">
        <Allowed act="payees.manage">
          <Button
            size="compact-sm"
            variant="subtle"
            color="gray"
            loading={remove.isPending}
            aria-label={`Remove ${payee.merchantName}`}
            onClick={() => remove.mutate(payee)}
          >
            Remove
          </Button>
        </Allowed>
      </Cell>
    </Row>
  );
}

interface Typed extends AccountTyped {
  merchantName: string;
}

function AddPayee({ walletId, onDone }: { walletId: string; onDone: () => void }) {
  const { trust } = usePayeeChanges(walletId);
  const form = useKeptForm<Typed>(`new payee of ${walletId}`, {
    initialValues: { merchantName: '', bankCode: null, accountNumber: '' },
    validate: {
      ...ACCOUNT_VALIDATION,
      merchantName: (value) => (value.trim().length >= 3 ? null : 'Enter a name of 3 characters or more'),
    },
  });
  const adding = useSending(
    form,
    ({ merchantName, bankCode, accountNumber }) =>
      trust.mutateAsync({
        merchantName: merchantName.trim(),
        bankCode: bankCode ?? '',
        accountNumber: accountNumber.trim(),
      }),
    { fieldOf: { ACCOUNT_NOT_FOUND: 'accountNumber' }, onSuccess: onDone },
  );
  return (
    <form noValidate onSubmit={adding.submit}>
      <Stack>
        <TextInput
          label="Merchant"
          description="As the agent names it. Not case-sensitive."
          placeholder="Shoprite"
          required
          maxLength={200}
          data-autofocus
          {...form.getInputProps('merchantName')}
        />
        <AccountFields form={form} />
        <Refused error={adding.refusal} />
        <Actions onCancel={onDone}>
          <Button type="submit" loading={adding.isPending}>
            Add payee
          </Button>
        </Actions>
      </Stack>
    </form>
  );
}
