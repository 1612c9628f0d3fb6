import '../../styles/fields.css';
import {
  Button,
  NativeSelect,
  SimpleGrid,
  Stack,
  Switch,
  TextInput,
  type TextInputProps,
} from '@mantine/core';
import { changeWallet } from '../../api/calls.js';
import type { Wallet } from '../../api/types.js';
import { koboTyped, typedNaira } from '../../money/money.js';
import { useKeptForm } from '../../parts/state/kept-form.js';
import { Card } from '../../parts/display/card.js';
import { Actions } from '../../parts/forms/actions.js';
import { Refused } from '../../parts/loading/failure.js';
import { Unit } from '../../parts/forms/unit.js';
import { MoneyInput } from '../../parts/money/money-input.js';
import { Money } from '../../parts/money/money.js';
import { useSending } from '../../parts/forms/sending.js';
import { toast } from '../../parts/toasts/toasts.js';
import { amountProblem } from '../../text/validation.js';
import {
  CENTRAL_BANK,
  coolingOffInWords,
  PAYEE_POLICIES,
  payeePolicyInWords,
  APPROVAL_TTLS,
  approvalTtlInWords,
  duplicateGuardInWords,
  DUPLICATE_GUARDS,
} from '../../wallet/safeguards.js';
import { useAddress } from '../../parts/state/use-address.js';
import { useBegun } from './use-begun.js';
import { useRefresh } from './use-refresh.js';
import { Modal } from '../../parts/display/windows.js';
import { Allowed } from '../../parts/session/allowed.js';

/** Optional controls; a form opens by the address. */
export function Safeguards({ wallet }: { wallet: Wallet }) {
  const address = useAddress();
  const close = () => address.set({ edit: null });
  return (
    <Card
      title="Safeguards"
      aside={
        wallet.status !== 'CLOSED' && (
          <Allowed act="wallets.change">
            <Button
              size="xs"
              variant="default"
              onClick={() => address.set({ edit: 'safeguards' })}
              aria-label="Edit safeguards"
            >
              Edit
            </Button>
          </Allowed>
        )
      }
    >
      <dl className="facts">
        <dt>Approval threshold</dt>
        <dd>
          {wallet.approvalThreshold === undefined ? (
            'None'
          ) : (
            <>
              <Money kobo={wallet.approvalThreshold} />, expires after{' '}
              {approvalTtlInWords(wallet.approvalTtlMinutes)}
            </>
          )}
        </dd>
        {wallet.secondApprovalAbove !== undefined && (
          <>
            <dt>Two members above</dt>
            <dd>
              <Money kobo={wallet.secondApprovalAbove} />
            </dd>
          </>
        )}
        <dt>Allowed accounts</dt>
        <dd>{payeePolicyInWords(wallet.payeePolicy)}</dd>
        <dt>Check recipient’s account</dt>
        <dd>{wallet.verifyRecipient ? 'On' : 'Off'}</dd>
        <dt>New key limit</dt>
        <dd>{coolingOffInWords(wallet.coolingOff?.newKeyCap, wallet.coolingOff?.newKeyHours)}</dd>
        <dt>New payee limit</dt>
        <dd>{coolingOffInWords(wallet.coolingOff?.newPayeeCap, wallet.coolingOff?.newPayeeHours)}</dd>
        <dt>Duplicate guard</dt>
        <dd>{duplicateGuardInWords(wallet.duplicateGuardMinutes)}</dd>
      </dl>
      <Modal opened={address.get('edit') === 'safeguards'} onClose={close} title="Edit safeguards">
        <Form wallet={wallet} onDone={close} />
      </Modal>
    </Card>
  );
}

/** Both or neither of an amount and its hours. */
const capProblem = (cap: string, hours: string) => (cap.trim() || hours.trim() ? amountProblem(cap) : null);
function hoursProblem(hours: string, cap: string): string | null {
  if (!cap.trim() && !hours.trim()) return null;
  return /^[1-9]\d{0,2}$/.test(hours.trim()) ? null : 'Enter a whole number of hours';
}

interface CoolingOffTyped {
  newKeyCap: string;
  newKeyHours: string;
  newPayeeCap: string;
  newPayeeHours: string;
}

function coolingOffOf({ newKeyCap, newKeyHours, newPayeeCap, newPayeeHours }: CoolingOffTyped) {
  const key = koboTyped(newKeyCap);
  const payee = koboTyped(newPayeeCap);
  if (key === null && payee === null) return null;
  return {
    ...(key !== null && { newKeyCap: key, newKeyHours: Number(newKeyHours) }),
    ...(payee !== null && { newPayeeCap: payee, newPayeeHours: Number(newPayeeHours) }),
  };
}

const minutesOf = (value: string) => (value === '' ? null : Number(value));

/** Minutes to choose from. The API takes others too: what holds is among them, so that no other stands in its place. */
function choices(
  offered: readonly (number | undefined)[],
  held: number | undefined,
  inWords: (minutes: number | undefined) => string,
) {
  const all = offered.includes(held) ? offered : [...offered, held];
  return all.map((minutes) => ({ value: minutes?.toString() ?? '', label: inWords(minutes) }));
}

const typedOf = (wallet: Wallet) => ({
  approvalThreshold: typedNaira(wallet.approvalThreshold),
  secondApprovalAbove: typedNaira(wallet.secondApprovalAbove),
  approvalTtlMinutes: wallet.approvalTtlMinutes?.toString() ?? '',
  duplicateGuardMinutes: wallet.duplicateGuardMinutes?.toString() ?? '',
  payeePolicy: wallet.payeePolicy ?? 'off',
  verifyRecipient: wallet.verifyRecipient ?? false,
  newKeyCap: typedNaira(wallet.coolingOff?.newKeyCap),
  newKeyHours: wallet.coolingOff?.newKeyHours?.toString() ?? '',
  newPayeeCap: typedNaira(wallet.coolingOff?.newPayeeCap),
  newPayeeHours: wallet.coolingOff?.newPayeeHours?.toString() ?? '',
});

function Form({ wallet, onDone }: { wallet: Wallet; onDone: () => void }) {
  const refresh = useRefresh(wallet.id);
  const { begun, send } = useBegun(wallet);
  const form = useKeptForm(`safeguards of ${wallet.id}`, {
    initialValues: typedOf(begun),
    validate: {
      approvalThreshold: (value) => (value.trim() ? amountProblem(value) : null),
      secondApprovalAbove: (value) => (value.trim() ? amountProblem(value) : null),
      newKeyCap: (value, { newKeyHours }) => capProblem(value, newKeyHours),
      newKeyHours: (value, { newKeyCap }) => hoursProblem(value, newKeyCap),
      newPayeeCap: (value, { newPayeeHours }) => capProblem(value, newPayeeHours),
      newPayeeHours: (value, { newPayeeCap }) => hoursProblem(value, newPayeeCap),
    },
  });
  const saving = useSending(
    form,
    ({ approvalThreshold, secondApprovalAbove, approvalTtlMinutes, duplicateGuardMinutes, ...typed }) => {
      const change = changeWallet(wallet.id, {
        payeePolicy: PAYEE_POLICIES.find((each) => each === typed.payeePolicy) ?? 'off',
        verifyRecipient: typed.verifyRecipient,
        coolingOff: coolingOffOf(typed),
        approvalThreshold: koboTyped(approvalThreshold),
        secondApprovalAbove: koboTyped(secondApprovalAbove),
        approvalTtlMinutes: minutesOf(approvalTtlMinutes),
        duplicateGuardMinutes: minutesOf(duplicateGuardMinutes),
        version: begun.version,
      });
      return send(change, form, typedOf);
    },
    {
      onSuccess: () => {
        void toast({ message: 'Safeguards saved. They apply from the next payment on.' });
        refresh();
        onDone();
      },
    },
  );
  return (
    <form noValidate onSubmit={saving.submit}>
      <Stack>
        <MoneyInput
          label="Approval threshold"
          description="A payment above this amount waits for your approval. Leave it empty for none."
          {...form.getInputProps('approvalThreshold')}
        />
        <MoneyInput
          label="Two members above"
          description="Of the payments that wait, those above this amount take two members, neither of whom made the key that asked. Leave it empty for one."
          {...form.getInputProps('secondApprovalAbove')}
        />
        <NativeSelect
          label="Approval expires after"
          description="A payment that isn’t approved by then expires"
          data={choices(APPROVAL_TTLS, begun.approvalTtlMinutes, approvalTtlInWords)}
          {...form.getInputProps('approvalTtlMinutes')}
        />
        <NativeSelect
          label="Duplicate guard"
          description="Refuses the same amount to the same account by the same key, unless the agent confirms a second purchase"
          data={choices(DUPLICATE_GUARDS, begun.duplicateGuardMinutes, duplicateGuardInWords)}
          {...form.getInputProps('duplicateGuardMinutes')}
        />
        <NativeSelect
          label="Allowed accounts"
          description="Keeps an agent from being talked into paying a different account under the same name"
          data={PAYEE_POLICIES.map((value) => ({ value, label: payeePolicyInWords(value) }))}
          {...form.getInputProps('payeePolicy')}
        />
        <Switch
          withThumbIndicator={false}
          label="Check recipient’s account"
          description="Blocks a payment to an account that its bank doesn’t know"
          {...form.getInputProps('verifyRecipient', { type: 'checkbox' })}
        />
        <SimpleGrid cols={2} spacing="sm">
          <MoneyInput label="New key limit" {...form.getInputProps('newKeyCap')} />
          <HoursInput label="A key is new for" {...form.getInputProps('newKeyHours')} />
          <MoneyInput label="New payee limit" {...form.getInputProps('newPayeeCap')} />
          <HoursInput label="A payee is new for" {...form.getInputProps('newPayeeHours')} />
        </SimpleGrid>
        <Button
          variant="default"
          size="xs"
          style={{ alignSelf: 'flex-start' }}
          onClick={() => {
            const [cap, hours] = [typedNaira(CENTRAL_BANK.cap), String(CENTRAL_BANK.hours)];
            form.setValues({ newKeyCap: cap, newKeyHours: hours, newPayeeCap: cap, newPayeeHours: hours });
          }}
        >
          Use the Central Bank’s ₦20,000 in 24 hours
        </Button>
        <Refused error={saving.refusal} />
        <Actions onCancel={onDone}>
          <Allowed act="wallets.change">
            <Button type="submit" loading={saving.isPending}>
              Save safeguards
            </Button>
          </Allowed>
        </Actions>
      </Stack>
    </form>
  );
}

function HoursInput(props: TextInputProps) {
  return (
    <TextInput inputMode="numeric" rightSection={<Unit>hours</Unit>} rightSectionWidth={58} {...props} />
  );
}
