import { SimpleGrid, Stack, Text } from '@mantine/core';
import type { Backtest } from '../../api/types.js';
import { Figure } from '../../parts/display/card.js';
import { grouped } from '../../money/money.js';
import { Money } from '../../parts/money/money.js';
import { pluralize } from '../../text/pluralize.js';
import { DecisionChanges } from './flips.js';

/** What a backtest found, in a sentence, in figures and payment by payment. */
export function BacktestResult({
  result,
  days,
  isPlain = false,
}: {
  result: Backtest;
  days: number;
  /** In a dialog, which a link to a payment would leave. */
  isPlain?: boolean;
}) {
  const { attempts, complete, recorded, underRules, toApproved, toBlocked, flips } = result;
  const flipped = toApproved.count + toBlocked.count;
  return (
    <Stack gap="md">
      <div>
        <Text fw={600}>{inWords(attempts, flipped, days)}</Text>
        {!complete && (
          <Text size="sm" c="dimmed">
            Only the newest 20,000 payments were checked.
          </Text>
        )}
      </div>
      {attempts > 0 && (
        <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm" className="figures">
          <Figure
            name="Would be blocked"
            kobo={toBlocked.kobo}
            note={pluralize(toBlocked.count, 'payment')}
          />
          <Figure name="Would pass" kobo={toApproved.kobo} note={pluralize(toApproved.count, 'payment')} />
          <Figure
            name="Approved in total"
            kobo={underRules.approved.kobo}
            note={
              <>
                instead of <Money kobo={recorded.approved.kobo} />, refunded and waiting payments included
              </>
            }
          />
        </SimpleGrid>
      )}
      <DecisionChanges flips={flips} inAll={flipped} order="oldest" isPlain={isPlain} />
    </Stack>
  );
}

function inWords(attempts: number, flipped: number, days: number): string {
  const span = `in the last ${days} days`;
  if (attempts === 0) return `There were no payments ${span}.`;
  if (flipped === 0) {
    return attempts === 1
      ? `The only payment ${span} would have ended the same.`
      : `All ${grouped(attempts)} payments ${span} would have ended the same.`;
  }
  return `${grouped(flipped)} of ${pluralize(attempts, 'payment')} ${span} would have ended otherwise.`;
}
