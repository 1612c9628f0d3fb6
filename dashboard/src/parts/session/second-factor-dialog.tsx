import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useRef, useState } from 'react';
import type { Asking } from '../../api/second-factor.js';
import { Actions } from '../forms/actions.js';
import { Modal } from '../display/windows.js';

interface Props extends Asking {
  onAnswer: (code: string | null) => void;
}

const WALLET = '/api/wallets/{walletId}';

/** What needs a code, by the call that does it. */
const ACTS: Readonly<Record<string, string>> = {
  'POST /v1/approvals/{approvalId}/approve': 'approve this payment',
  [`PATCH ${WALLET}`]: 'weaken a safeguard of this wallet',
  [`POST ${WALLET}/keys`]: 'create an API key',
  [`POST ${WALLET}/payees`]: 'trust this payee',
  [`DELETE ${WALLET}/payees/{payeeId}`]: 'remove this payee',
  [`POST ${WALLET}/withdrawals`]: 'withdraw money',
  [`POST ${WALLET}/transfers`]: 'move money',
  [`POST ${WALLET}/close`]: 'close this wallet',
  [`POST ${WALLET}/resume`]: 'let this wallet pay again',
  'POST /v1/wallets/resume': 'let these wallets pay again',
  'POST /v1/webhook-endpoints/{endpointId}/rotate-secret': 'see a new secret of this endpoint',
};

/** What needs a code of its own each time. */
const ALWAYS: Readonly<Record<string, string>> = {
  'POST /v1/auth/password': 'change your password',
  'POST /v1/auth/two-factor/recovery-codes': 'make new recovery codes',
  'DELETE /v1/auth/two-factor': 'turn two-factor off',
};

/** Takes the code of the authenticator app. */
export default function SecondFactorDialog({ call, wasWrong, onAnswer }: Props) {
  const [code, setCode] = useState('');
  const field = useRef<HTMLInputElement>(null);
  return (
    <Modal opened onClose={() => onAnswer(null)} title="Confirm it’s you" zIndex={400}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (code.trim()) onAnswer(code.trim());
          else field.current?.focus();
        }}
      >
        <Stack>
          <Text size="sm">
            To {ACTS[call] ?? ALWAYS[call] ?? 'do this'}, enter the code of your authenticator app, or a
            recovery code.{!(call in ALWAYS) && ' You won’t be asked again for 10 minutes.'}
          </Text>
          <TextInput
            ref={field}
            label="Two-factor code"
            data-autofocus
            autoComplete="one-time-code"
            maxLength={64}
            value={code}
            error={wasWrong ? 'This code is wrong or was used before' : null}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
          <Actions onCancel={() => onAnswer(null)}>
            <Button type="submit">Confirm</Button>
          </Actions>
        </Stack>
      </form>
    </Modal>
  );
}
