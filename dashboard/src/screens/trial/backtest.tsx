import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { queryKeys } from '../../api/query-keys.js';
import { backtest } from '../../api/trials.js';
import type { Wallet } from '../../api/types.js';
import { useKeptForm } from '../../parts/state/kept-form.js';
import { Answer } from '../../parts/loading/answer.js';
import { Card } from '../../parts/display/card.js';
import { BlocksLoading } from '../../parts/loading/loading.js';
import { useAddress } from '../../parts/state/use-address.js';
import { inputOf } from '../../text/time.js';
import {
  backtestOf,
  changedLimits,
  limitsInAddress,
  limitsOf,
  limitsTyped,
  typedLimits,
  type WalletLimits,
} from '../../wallet/wallet-limits.js';
import { WALLET_LIMIT_VALIDATION, WalletLimitFields } from '../controls/rule-fields.js';
import { BacktestResult } from './backtest-result.js';
import { useApply, useTrial } from './use-trial.js';
import { Allowed } from '../../parts/session/allowed.js';

const RANGES = ['30', '7', '90', '365'] as const;
const ASKED_AGAIN_AFTER_MS = 30_000;

/** What other limits would have made of the payments of the last days. The address keeps what is tried. */
export function Backtest({ wallet }: { wallet: Wallet }) {
  const address = useAddress();
  const formId = useId();
  const days = Number(address.oneOf('range', RANGES));
  const tried = limitsInAddress(address.get('trial'));
  const own = limitsOf(wallet);
  const changed = changedLimits({ ...own, ...tried }, own);
  const body = backtestOf({ ...own, ...tried }, changed);
  const query = useQuery({
    queryKey: queryKeys.backtest(wallet.id, days, body),
    queryFn: () => backtest(wallet.id, days, body),
    enabled: tried !== null,
    placeholderData: keepPreviousData,
    staleTime: ASKED_AGAIN_AFTER_MS,
  });
  const tryThem = (limits: Partial<WalletLimits>) => {
    const text = JSON.stringify(limits);
    if (text === address.get('trial')) void query.refetch();
    else address.set({ trial: text }, { replace: tried !== null });
  };
  return (
    <Card
      title="What would these limits have done?"
      aside={
        <NativeSelect
          size="xs"
          aria-label="Payments of"
          value={String(days)}
          onChange={(event) => address.set({ range: event.currentTarget.value }, { replace: true })}
          data={[...RANGES]
            .sort((a, b) => Number(a) - Number(b))
            .map((value) => ({ value, label: `Last ${value} days` }))}
        />
      }
    >
      <Stack gap="lg">
        <LimitsForm
          // The fields take what the address or the wallet says once it says something else.
          key={`${wallet.version} ${address.get('trial') ?? ''}`}
          id={formId}
          walletId={wallet.id}
          own={own}
          tried={tried}
          onTry={tryThem}
        />
        <Group>
          <Button type="submit" form={formId} loading={tried !== null && query.isFetching}>
            See what they would have done
          </Button>
          {tried !== null && (
            <Button variant="default" onClick={() => address.set({ trial: null }, { replace: true })}>
              Start over
            </Button>
          )}
        </Group>
        <div aria-live="polite">
          {tried === null ? (
            <NothingTried />
          ) : (
            <Answer of={query} what="The result" loading={<BlocksLoading heights={[24, 96, 120]} />}>
              {(result) => (
                <Stack gap="lg">
                  <BacktestResult result={result} days={days} />
                  <Actions wallet={wallet} changed={changed} onApplied={() => address.set({ trial: null })} />
                </Stack>
              )}
            </Answer>
          )}
        </div>
      </Stack>
    </Card>
  );
}

interface FormProps {
  id: string;
  walletId: string;
  own: WalletLimits;
  tried: Partial<WalletLimits> | null;
  onTry: (changed: Partial<WalletLimits>) => void;
}

function LimitsForm({ id, walletId, own, tried, onTry }: FormProps) {
  const form = useKeptForm(`backtest of ${walletId}`, {
    initialValues: typedLimits({ ...own, ...tried }),
    validate: {
      ...WALLET_LIMIT_VALIDATION,
      // A wallet that has expired is asked about as it is.
      expiry: (value) =>
        value === inputOf(new Date(own.expiry)) ? null : WALLET_LIMIT_VALIDATION.expiry(value),
    },
  });
  const submit = form.onSubmit((typed) => onTry(changedLimits(limitsTyped(typed, own), own)));
  return (
    <form id={id} noValidate onSubmit={submit}>
      <Stack>
        <WalletLimitFields form={form} isWide />
      </Stack>
    </form>
  );
}

function NothingTried() {
  return (
    <Text size="sm" c="dimmed">
      Change a limit, and see which of the wallet’s payments would have been blocked and which would have
      passed. Nothing is saved.
    </Text>
  );
}

function Actions({
  wallet,
  changed,
  onApplied,
}: {
  wallet: Wallet;
  changed: Partial<WalletLimits>;
  onApplied: () => void;
}) {
  const trial = useTrial(wallet.id);
  const { apply, isPending } = useApply(wallet);
  if (Object.keys(changed).length === 0) {
    return (
      <Text size="sm" c="dimmed">
        These are the wallet’s limits as they are. Change one to try another.
      </Text>
    );
  }
  return (
    <Stack gap="xs">
      <Group>
        <Allowed act="wallets.change">
          <Button variant="default" loading={isPending} onClick={() => apply(changed, onApplied)}>
            Apply these limits
          </Button>
        </Allowed>
        <Allowed act="rules.try">
          <Button variant="default" loading={trial.isPending} onClick={() => trial.mutate(changed)}>
            Try beside the real ones
          </Button>
        </Allowed>
      </Group>
      <Text size="xs" c="dimmed">
        A trial judges each new payment by these limits too, and blocks none.
      </Text>
    </Stack>
  );
}
