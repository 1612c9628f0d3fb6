import { Alert, Anchor, Button, Stack, Text } from '@mantine/core';
import { Suspense, useEffect, useRef, useState } from 'react';
import { Link } from 'react-router';
import { changeWallet } from '../../api/calls.js';
import type { Wallet } from '../../api/types.js';
import { differences } from '../../wallet/changes-in-words.js';
import { useKeptForm } from '../../parts/state/kept-form.js';
import { Actions } from '../../parts/forms/actions.js';
import { Boundary } from '../../parts/loading/boundary.js';
import { Failure, Refused } from '../../parts/loading/failure.js';
import { loadable } from '../../parts/loading/loadable.js';
import { BlocksLoading } from '../../parts/loading/loading.js';
import { useSending } from '../../parts/forms/sending.js';
import { toast } from '../../parts/toasts/toasts.js';
import { useAddress } from '../../parts/state/use-address.js';
import { inputOf } from '../../text/time.js';
import {
  changedLimits,
  limitsOf,
  limitsTyped,
  typedLimits,
  type WalletLimits,
  type WalletLimitsTyped,
} from '../../wallet/wallet-limits.js';
import { RULE_FIELD_OF, RULE_VALIDATION, RuleFields } from './rule-fields.js';
import { useBegun } from './use-begun.js';
import { useRefresh } from './use-refresh.js';
import { Modal } from '../../parts/display/windows.js';
import { Allowed } from '../../parts/session/allowed.js';

const Backtest = loadable(
  () => import('../trial/backtest-in-dialog.js'),
  (part) => part.default,
);

interface Rules extends WalletLimits {
  name: string;
}

interface Typed extends WalletLimitsTyped {
  name: string;
}

/** Changes what the wallet may spend; open when the address says so. */
export function EditRules({ wallet }: { wallet: Wallet }) {
  const address = useAddress();
  const close = () => address.set({ edit: null });
  return (
    <Modal opened={address.get('edit') === 'rules'} onClose={close} title="Edit rules" size="lg">
      <Form wallet={wallet} onDone={close} />
    </Modal>
  );
}

const rulesOf = (wallet: Wallet): Rules => ({ name: wallet.name, ...limitsOf(wallet) });

const typedOf = (wallet: Wallet): Typed => ({ name: wallet.name, ...typedLimits(limitsOf(wallet)) });

function Form({ wallet, onDone }: { wallet: Wallet; onDone: () => void }) {
  const { begun, send } = useBegun(wallet);
  const rules = rulesOf(begun);
  const refresh = useRefresh(wallet.id);
  const address = useAddress();
  const [asked, setAsked] = useState<Partial<WalletLimits> | null>(null);
  const answer = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (asked) answer.current?.scrollIntoView({ block: 'nearest' });
  }, [asked]);
  const expired = new Date(rules.expiry) <= new Date();
  const form = useKeptForm<Typed>(`rules of ${wallet.id}`, {
    initialValues: typedOf(begun),
    validate: {
      ...RULE_VALIDATION,
      expiry: (value) =>
        !expired && value === inputOf(new Date(rules.expiry)) ? null : RULE_VALIDATION.expiry(value),
    },
  });
  const after: Rules = { name: form.values.name.trim(), ...limitsTyped(form.values, rules) };
  const changed = differences({ ...rules }, { ...after });
  const limits = changedLimits(limitsOf(after), rules);
  const saving = useSending(
    form,
    () => {
      const { name } = after;
      const change = { ...(name !== rules.name && { name }), ...limits, version: begun.version };
      return send(changeWallet(wallet.id, change), form, typedOf);
    },
    {
      fieldOf: RULE_FIELD_OF,
      onSuccess: () => {
        void toast({ message: 'Rules saved. They apply from the next payment on.' });
        refresh();
        onDone();
      },
    },
  );
  return (
    <form noValidate onSubmit={saving.submit}>
      <Stack>
        <RuleFields form={form} />
        <Alert variant="light" color="ink" title="What changes" aria-live="polite">
          {changed.length === 0 ? (
            <Text size="sm">Nothing yet.</Text>
          ) : (
            changed.map((line) => (
              <Text key={line} size="sm" className="wrap">
                {line}.
              </Text>
            ))
          )}
          {Object.keys(limits).length > 0 && (
            <Button variant="default" size="xs" mt="xs" onClick={() => setAsked(limits)}>
              See what this would have done
            </Button>
          )}
        </Alert>
        {asked && Object.keys(limits).length > 0 && (
          <Stack gap="sm" aria-live="polite" ref={answer} className="answer">
            <Suspense fallback={<BlocksLoading heights={[24, 60]} />}>
              <Boundary draw={(error, retry) => <Failure error={error} what="The result" onRetry={retry} />}>
                <Backtest wallet={begun} changed={asked} />
              </Boundary>
            </Suspense>
            <Anchor
              component={Link}
              to={address.to({ edit: null, tab: 'rules', trial: JSON.stringify(limits) })}
              preventScrollReset
              size="sm"
            >
              Try these limits beside the real ones
            </Anchor>
          </Stack>
        )}
        <Refused error={saving.refusal} />
        <Actions onCancel={onDone}>
          <Allowed act="wallets.change">
            <Button type="submit" loading={saving.isPending} disabled={changed.length === 0}>
              Save rules
            </Button>
          </Allowed>
        </Actions>
      </Stack>
    </form>
  );
}
