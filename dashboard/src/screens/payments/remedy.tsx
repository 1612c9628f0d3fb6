import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { duplicateOf, isAccountUnknown, knownAccounts } from '../../payments/checks.js';
import { OnDemand } from '../../parts/loading/boundary.js';
import { loadable } from '../../parts/loading/loadable.js';
import { NO_FILTER } from '../../payments/payment-filters.js';
import type { TransactionDetails, Wallet } from '../../api/types.js';
import { useAddress } from '../../parts/state/use-address.js';
import { dayAndTime } from '../../text/time.js';
import { useFreeze, useRuleChange } from '../controls/use-change.js';
import { Allowed } from '../../parts/session/allowed.js';

const TrustPayee = loadable(
  () => import('./trust-payee.js'),
  (part) => part.default,
);

interface Props {
  payment: TransactionDetails;
  wallet: Wallet;
}

const BY_RULES = new Set([
  'SPEND_LIMIT_PER_TX_EXCEEDED',
  'SPEND_LIMIT_PER_PERIOD_EXCEEDED',
  'WALLET_EXPIRED',
]);

/** Reserves its place until the wallet is loaded. */
export function mayHaveRemedy(blockReason: string | null): boolean {
  return (
    blockReason === 'MERCHANT_NOT_ALLOWED' ||
    blockReason === 'WALLET_INACTIVE' ||
    blockReason === 'PAYEE_NOT_ALLOWED' ||
    blockReason === 'INSUFFICIENT_FUNDS' ||
    blockReason === 'COOLING_OFF' ||
    blockReason === 'POSSIBLE_DUPLICATE' ||
    BY_RULES.has(blockReason ?? '')
  );
}

export function Remedy({ payment, wallet }: Props) {
  const { blockReason } = payment;
  if (wallet.status === 'CLOSED') return null;
  if (blockReason === 'MERCHANT_NOT_ALLOWED') return <AllowMerchant payment={payment} wallet={wallet} />;
  if (blockReason === 'WALLET_INACTIVE') return <Resume wallet={wallet} />;
  if (blockReason === 'PAYEE_NOT_ALLOWED') {
    return isAccountUnknown(payment.auditEvents) ? <UnknownAccount /> : <OtherAccount payment={payment} />;
  }
  if (blockReason === 'INSUFFICIENT_FUNDS') {
    return <Elsewhere to={`/wallets/${wallet.id}?fund=open`}>Fund the wallet</Elsewhere>;
  }
  if (blockReason === 'COOLING_OFF') {
    return (
      <Elsewhere to={`/wallets/${wallet.id}?tab=rules&edit=safeguards`}>
        Change the cooling-off limit
      </Elsewhere>
    );
  }
  if (blockReason === 'POSSIBLE_DUPLICATE') return <Duplicate payment={payment} wallet={wallet} />;
  if (!BY_RULES.has(blockReason ?? '')) return null;
  return (
    <Elsewhere to={`/wallets/${wallet.id}?tab=rules&edit=rules`}>
      {blockReason === 'WALLET_EXPIRED' ? 'Extend the wallet' : 'Raise the limit'}
    </Elsewhere>
  );
}

function Elsewhere({ to, children }: { to: string; children: string }) {
  return (
    <Group>
      <Button component={Link} to={to} preventScrollReset size="xs" variant="default">
        {children}
      </Button>
    </Group>
  );
}

function AllowMerchant({ payment, wallet }: Props) {
  const change = useRuleChange(wallet);
  const { merchantAllowlist, useAllowlist } = wallet;
  const same = (name: string) => name.trim().toLowerCase() === payment.merchantName.trim().toLowerCase();
  if (!useAllowlist || merchantAllowlist.some(same)) return null;
  return (
    <Group>
      <Allowed act="wallets.change">
        <Button
          size="xs"
          variant="default"
          maw="100%"
          loading={change.isPending}
          onClick={() =>
            change.mutate({
              change: { merchantAllowlist: [...merchantAllowlist, payment.merchantName] },
              back: { merchantAllowlist },
              done: `${payment.merchantName} is allowed from the next payment on`,
            })
          }
        >
          Allow this merchant
        </Button>
      </Allowed>
    </Group>
  );
}

function Resume({ wallet }: { wallet: Wallet }) {
  const { resume } = useFreeze(wallet);
  if (wallet.status !== 'SUSPENDED') return null;
  return (
    <Group>
      <Allowed act="wallets.change">
        <Button size="xs" variant="default" loading={resume.isPending} onClick={() => resume.mutate()}>
          Resume the wallet
        </Button>
      </Allowed>
    </Group>
  );
}

/** No trust of the owner's opens an account. */
function UnknownAccount() {
  return (
    <Text size="sm">
      The bank knows no such account. Check the account number and the bank below, and have the agent pay the
      right ones.
    </Text>
  );
}

/** A second purchase is the agent's to confirm: it alone knows whether one is meant. */
function Duplicate({ payment, wallet }: Props) {
  const address = useAddress();
  const first = duplicateOf(payment.auditEvents);
  return (
    <Stack gap="xs">
      <Text size="sm">
        The same amount was paid to the same account shortly before. If a second purchase is meant, the agent
        can confirm it{first?.passesAt && `, or pay again after ${dayAndTime(first.passesAt)}`}.
      </Text>
      <Group gap="sm">
        {first && (
          <Anchor
            component={Link}
            to={address.to({ transaction: first.id })}
            preventScrollReset
            size="sm"
            fw={500}
          >
            See the first payment
          </Anchor>
        )}
        <Anchor
          component={Link}
          to={`/wallets/${wallet.id}?tab=rules&edit=safeguards`}
          preventScrollReset
          size="sm"
          fw={500}
        >
          Change the duplicate guard
        </Anchor>
      </Group>
    </Stack>
  );
}

/** An account that the merchant was not paid at before: with a look at what was, never trusted from here at once. */
function OtherAccount({ payment }: Pick<Props, 'payment'>) {
  const address = useAddress();
  const [state, setState] = useState<'unused' | 'open' | 'closed'>('unused');
  const { merchantName } = payment;
  const isKnown = knownAccounts(payment.auditEvents).length > 0;
  return (
    <Stack gap="xs">
      <Text size="sm" className="wrap">
        {isKnown
          ? `${merchantName} was paid at another account before. New bank details are a common way to steal money: ask ${merchantName} before you trust them.`
          : `No account of ${merchantName} is trusted yet.`}
      </Text>
      <Group gap="sm">
        <Button
          component={Link}
          to={address.to({ ...NO_FILTER, merchant: merchantName, transaction: null, of: null })}
          size="xs"
          variant="default"
          preventScrollReset
        >
          See payments to {merchantName.length > 24 ? 'this merchant' : merchantName}
        </Button>
        <Button size="xs" variant="subtle" onClick={() => setState('open')}>
          {isKnown ? 'Compare the accounts' : 'Check the account'}
        </Button>
      </Group>
      {state !== 'unused' && (
        <OnDemand onFailed={() => setState('unused')}>
          <TrustPayee payment={payment} opened={state === 'open'} onClose={() => setState('closed')} />
        </OnDemand>
      )}
    </Stack>
  );
}
