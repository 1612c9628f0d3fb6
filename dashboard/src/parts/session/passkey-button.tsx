import { Button, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { ApiError } from '../../api/request.js';
import { Refused } from '../loading/failure.js';

interface Props {
  /** Asks the browser for the proof. */
  prove: () => Promise<string>;
  onProof: (proof: string) => void;
}

/** Proves by a passkey who it is. */
export function PasskeyButton({ prove, onProof }: Props) {
  const proving = useMutation({ mutationFn: prove, onSuccess: onProof });
  return (
    <Stack gap="xs">
      <Button variant="default" loading={proving.isPending} onClick={() => proving.mutate()}>
        Use a passkey
      </Button>
      <Refused error={inWords(proving.error)} />
    </Stack>
  );
}

function inWords(error: Error | null): Error | null {
  if (!(error instanceof ApiError) || error.code !== 'PASSKEY_NOT_FOUND') return error;
  return new ApiError(404, 'NO_PASSKEY', 'Your account has no passkey. Enter a code instead.');
}
