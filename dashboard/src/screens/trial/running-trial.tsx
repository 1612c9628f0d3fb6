import { Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import type { ShadowTrial, Wallet } from '../../api/types.js';
import { differences } from '../../wallet/changes-in-words.js';
import { Card, Figure } from '../../parts/display/card.js';
import { Moment } from '../../parts/display/moment.js';
import { grouped } from '../../money/money.js';
import { pluralize } from '../../text/pluralize.js';
import { changedLimits, limitsAmong, limitsOf } from '../../wallet/wallet-limits.js';
import { DecisionChanges } from './flips.js';
import { useApply, useTrial } from './use-trial.js';
import { Allowed } from '../../parts/session/allowed.js';

/** Limits that are tried beside the real ones, and what they would have done so far. */
export function RunningTrial({ wallet, trial }: { wallet: Wallet; trial: ShadowTrial }) {
  const change = useTrial(wallet.id);
  const { apply, isPending } = useApply(wallet);
  const own = limitsOf(wallet);
  const tried = { ...own, ...limitsAmong(trial.rules) };
  const changed = changedLimits(tried, own);
  const lines = differences({ ...own }, { ...tried });
  const { judged, toApproved, toBlocked } = trial;
  const end = () => change.mutate({});
  return (
    <Card
      title="On trial beside the real limits"
      aside={
        <Text size="sm" c="dimmed">
          Since <Moment at={trial.since} />
        </Text>
      }
    >
      <Stack gap="md">
        <div>
          {lines.length === 0 ? (
            <Text size="sm">These are the wallet’s own limits now.</Text>
          ) : (
            lines.map((line) => (
              <Text key={line} size="sm" className="wrap">
                {line}
              </Text>
            ))
          )}
        </div>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" className="figures">
          <Figure
            name="Would be blocked"
            kobo={toBlocked.kobo}
            note={`${grouped(toBlocked.count)} of ${pluralize(judged, 'payment')}`}
          />
          <Figure
            name="Would pass"
            kobo={toApproved.kobo}
            note={`${grouped(toApproved.count)} of ${pluralize(judged, 'payment')}`}
          />
        </SimpleGrid>
        <DecisionChanges flips={trial.flips} inAll={toApproved.count + toBlocked.count} order="newest" />
        <Group>
          {lines.length > 0 && wallet.status !== 'CLOSED' && (
            <Allowed act="wallets.change">
              <Button variant="default" loading={isPending} onClick={() => apply(changed, end)}>
                Apply the limits on trial
              </Button>
            </Allowed>
          )}
          <Allowed act="rules.try">
            <Button variant="default" loading={change.isPending} onClick={end}>
              End the trial
            </Button>
          </Allowed>
        </Group>
      </Stack>
    </Card>
  );
}
