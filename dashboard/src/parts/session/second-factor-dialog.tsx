import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { hasPasskeys, passkeys, proveSession } from '../../api/passkeys.js';
import { queryKeys } from '../../api/query-keys.js';
import { ACTS, ALWAYS } from '../../api/second-factor-acts.js';
import type { Asking, Proof } from '../../api/second-factor.js';
import { Actions } from '../forms/actions.js';
import { Modal } from '../display/windows.js';
import { PasskeyButton } from './passkey-button.js';

interface Props extends Asking {
  onAnswer: (proof: Proof | null) => void;
}

const wordsOf = (call: string): string =>
  (ACTS as Record<string, string>)[call] ?? (ALWAYS as Record<string, string>)[call] ?? 'do this';

/** Takes a passkey, or a code of the authenticator app. */
export default function SecondFactorDialog({ call, wasWrong, onAnswer }: Props) {
  const [code, setCode] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const { data } = useQuery({ queryKey: queryKeys.passkeys, queryFn: passkeys, enabled: hasPasskeys() });
  const takesPasskey = data?.origin === window.location.origin && data.passkeys.length > 0;
  return (
    <Modal opened onClose={() => onAnswer(null)} title="Confirm it’s you" zIndex={400}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (code.trim()) onAnswer(['x-totp-code', code.trim()]);
          else field.current?.focus();
        }}
      >
        <Stack>
          <Text size="sm">
            To {wordsOf(call)}, {takesPasskey && 'use a passkey, or '}enter the code of your authenticator
            app, or a recovery code.
            {!(call in ALWAYS) && ' You won’t be asked again for 10 minutes.'}
          </Text>
          {takesPasskey && (
            <PasskeyButton prove={proveSession} onProof={(proof) => onAnswer(['x-passkey', proof])} />
          )}
          <TextInput
            ref={field}
            label="Two-factor code"
            data-autofocus
            autoComplete="one-time-code"
            maxLength={64}
            value={code}
            error={
              wasWrong
                ? takesPasskey
                  ? 'It wasn’t accepted. Try again'
                  : 'This code is wrong or was used before'
                : null
            }
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
