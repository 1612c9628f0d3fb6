import { Button, Radio, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type ActName, OPERATOR, perform } from '../../api/operator.js';
import { plainNaira } from '../../money/money.js';
import { Modal } from '../../parts/display/windows.js';
import { Actions } from '../../parts/forms/actions.js';
import { useSending } from '../../parts/forms/sending.js';
import { Refused } from '../../parts/loading/failure.js';
import { toast } from '../../parts/toasts/toasts.js';
import { ACTS } from './words.js';

interface Props {
  act: ActName;
  subject: string;
  /** In kobo; null: no money. */
  amount?: number | null;
  /** The wallet that a transfer names. */
  walletId?: string | null;
}

/** Opens the dialog of an act, which asks for its reason. */
export function ActButton(props: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const { name, isSevere } = ACTS[props.act];
  return (
    <>
      <Button
        size="xs"
        variant="default"
        {...(isSevere && { c: 'var(--bad)' })}
        onClick={() => setIsOpen(true)}
      >
        {name}
      </Button>
      <Modal opened={isOpen} onClose={() => setIsOpen(false)} title={name}>
        <ActForm {...props} onClose={() => setIsOpen(false)} />
      </Modal>
    </>
  );
}

const REASON_MIN = 3;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function ActForm({ act, subject, amount = null, walletId = null, onClose }: Props & { onClose: () => void }) {
  const client = useQueryClient();
  const { name, explained, isSevere } = ACTS[act];
  const form = useForm({
    initialValues: { reason: '', walletId: walletId ?? '', outcome: 'paid' as 'paid' | 'failed' },
    validate: {
      reason: (text) =>
        text.trim().length < REASON_MIN ? 'Say why, in a few words: it stays on record' : null,
      walletId: (id) =>
        act === 'transfer.credit' && !UUID.test(id.trim()) ? 'Enter the id of the wallet' : null,
    },
  });
  const sending = useSending(
    form,
    (values) =>
      perform({
        act,
        subject,
        reason: values.reason.trim(),
        ...(act === 'transfer.credit' && { walletId: values.walletId.trim() }),
        ...(act === 'payout.outcome' && { outcome: values.outcome }),
      }),
    {
      fieldOf: { WALLET_NOT_FOUND: 'walletId' },
      onSuccess: ({ proposal }) => {
        void toast(
          proposal
            ? { tone: 'info', title: 'Awaiting a second operator', message: `${name}: not done yet.` }
            : { message: `${name}: done` },
        );
        onClose();
      },
      onSettled: () => void client.invalidateQueries({ queryKey: [OPERATOR] }),
    },
  );
  return (
    <form noValidate onSubmit={sending.submit}>
      <Stack>
        <Text size="sm">
          {amount !== null && (
            <>
              <strong>{plainNaira(amount)}.</strong>{' '}
            </>
          )}
          {explained}
        </Text>
        {act === 'transfer.credit' && (
          <TextInput
            label="Wallet ID"
            description="Find it under Users and wallets"
            data-autofocus={walletId === null || undefined}
            {...form.getInputProps('walletId')}
          />
        )}
        {act === 'payout.outcome' && (
          <Radio.Group label="The bank says" {...form.getInputProps('outcome')}>
            <Stack gap={6} mt={6}>
              <Radio value="paid" label="Paid: the recipient has the money" />
              <Radio value="failed" label="Failed: the recipient will not get it" />
            </Stack>
          </Radio.Group>
        )}
        <Textarea
          label={act === 'case.note' ? 'Note' : 'Reason'}
          description={
            act === 'case.note' ? null : 'Who confirmed it, and the ticket number; kept permanently'
          }
          data-autofocus={act !== 'transfer.credit' || walletId !== null || undefined}
          autosize={false}
          rows={3}
          maxLength={500}
          {...form.getInputProps('reason')}
        />
        <Refused error={sending.refusal} />
        <Actions onCancel={onClose}>
          <Button type="submit" loading={sending.isPending} {...(isSevere && { color: 'red' })}>
            {name}
          </Button>
        </Actions>
      </Stack>
    </form>
  );
}
