import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import type { DecisionChange } from '../../api/types.js';
import { blockReasonInWords } from '../../payments/checks.js';
import { Moment } from '../../parts/display/moment.js';
import { grouped } from '../../money/money.js';
import { Money } from '../../parts/money/money.js';
import { Cell, Row, Rows, What } from '../../parts/lists/rows.js';
import { Tag } from '../../parts/display/tag.js';
import { useAddress } from '../../parts/state/use-address.js';

const SHOWN_AT_FIRST = 5;

interface Props {
  flips: readonly DecisionChange[];
  /** The API lists a hundred. */
  inAll: number;
  order: 'oldest' | 'newest';
  isPlain?: boolean;
}

/** The payments that other limits would have decided otherwise; each opens. */
export function DecisionChanges({ flips, inAll, order, isPlain = false }: Props) {
  const [isWhole, setIsWhole] = useState(false);
  if (flips.length === 0) return null;
  const shown = isWhole ? flips : flips.slice(0, SHOWN_AT_FIRST);
  return (
    <div className="flips">
      <Rows kind="flip" label="Decisions that change">
        {shown.map((flip) => (
          <ChangeRow key={flip.transactionId} flip={flip} isPlain={isPlain} />
        ))}
      </Rows>
      {shown.length < flips.length && (
        <Button variant="subtle" size="xs" fullWidth onClick={() => setIsWhole(true)}>
          {flips.length < inAll ? `Show the ${order} ${flips.length}` : `Show all ${flips.length}`}
        </Button>
      )}
      {isWhole && flips.length < inAll && (
        <Text size="xs" c="dimmed" px="md" py="xs">
          These are the {order} {flips.length} of {grouped(inAll)}.
        </Text>
      )}
    </div>
  );
}

function ChangeRow({ flip, isPlain }: { flip: DecisionChange; isPlain: boolean }) {
  const address = useAddress();
  const { transactionId, merchantName, recorded, underRules, createdAt, amount } = flip;
  const why = blockReasonInWords(underRules ?? recorded ?? '');
  return (
    <Row {...(!isPlain && { to: address.to({ transaction: transactionId }) })}>
      <What name={merchantName} more={underRules === null ? `Was blocked: ${lower(why)}` : why} />
      <Cell className="status">
        {underRules === null ? <Tag tone="good">Would pass</Tag> : <Tag tone="bad">Would be blocked</Tag>}
      </Cell>
      <Cell className="when small">
        <Moment at={createdAt} />
      </Cell>
      <Cell className="end amount">
        <Money kobo={amount} bold />
      </Cell>
    </Row>
  );
}

const lower = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);
