import '../../styles/fields.css';
import { Button, Radio, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { NewKey, WalletKey } from '../../api/types.js';
import { nameOfKey } from '../../wallet/key-words.js';
import { Actions } from '../../parts/forms/actions.js';
import { Refused } from '../../parts/loading/failure.js';
import { useSending } from '../../parts/forms/sending.js';
import { KeyAlike } from './key-alike.js';
import { useNewKey } from './use-new-key.js';

const HOUR = 3_600;

/** Seconds. */
const GRACES = [
  { value: String(24 * HOUR), label: 'In 24 hours', description: 'Time to put the new key in place' },
  { value: String(HOUR), label: 'In 1 hour' },
  { value: String(7 * 24 * HOUR), label: 'In 7 days' },
  { value: '0', label: 'At once', description: 'If it has leaked: it stops working now' },
] as const;

interface Props {
  walletId: string;
  apiKey: WalletKey;
  onDone: () => void;
}

/** The limits of the new key: those of the old one, less what it has used up in its life. */
function narrowed({ limits, left }: WalletKey): NewKey['limits'] {
  if (!limits) return null;
  return {
    ...limits,
    allowedMerchants: limits.allowedMerchants ? [...limits.allowedMerchants] : null,
    ...(left?.totalCap !== undefined && { totalCap: left.totalCap }),
    ...(left?.maxPayments !== undefined && { maxPayments: left.maxPayments }),
  };
}

/** True if payments use up a limit over the key's life. */
const hasTotals = ({ left }: WalletKey) => left?.totalCap !== undefined || left?.maxPayments !== undefined;

/** Puts a new key in the place of one. */
export function RotateKey({ walletId, apiKey, onDone }: Props) {
  const { found, make } = useNewKey(walletId);
  const form = useForm({ initialValues: { graceSeconds: String(24 * HOUR) } });
  const rotating = useSending(
    form,
    ({ graceSeconds }) =>
      make(
        {
          name: nameOfKey(apiKey),
          expiresAt: apiKey.expiresAt,
          graceSeconds: Number(graceSeconds),
          replaces: apiKey.id,
          purpose: apiKey.purpose ?? null,
          limits: narrowed(apiKey),
          requireRunId: apiKey.requireRunId ?? null,
          requireRationale: apiKey.requireRationale ?? null,
          secondApprovalAbove: apiKey.secondApprovalAbove ?? null,
        },
        apiKey,
      ),
    { onSuccess: (made) => made && onDone() },
  );
  if (apiKey.left?.totalCap === 0 || apiKey.left?.maxPayments === 0) {
    return <Text size="sm">Nothing is left of this key’s limits. Create a new key instead.</Text>;
  }
  return (
    <form noValidate onSubmit={rotating.submit}>
      <Stack>
        <Text size="sm" className="wrap">
          A new key takes the place of <b>{nameOfKey(apiKey)}</b>, with the same name, expiry and limits. What
          is used up of its total limits counts for the new one too.
        </Text>
        {hasTotals(apiKey) && form.values.graceSeconds !== '0' && (
          <Text size="sm">
            Until the old key stops, each of the two can spend what is left of those limits.
          </Text>
        )}
        <Radio.Group label="The old key stops working" {...form.getInputProps('graceSeconds')}>
          <Stack gap="xs" mt={6}>
            {GRACES.map((grace) => (
              <Radio key={grace.value} {...grace} />
            ))}
          </Stack>
        </Radio.Group>
        <Refused error={rotating.refusal} />
        {found && <KeyAlike apiKey={found} again="Rotate key" />}
        <Actions onCancel={onDone}>
          <Button
            type="submit"
            loading={rotating.isPending}
            {...(form.values.graceSeconds === '0' && { color: 'red' })}
          >
            Rotate key
          </Button>
        </Actions>
      </Stack>
    </form>
  );
}
