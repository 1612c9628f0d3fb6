import { Text } from '@mantine/core';
import { Link, type LinkProps } from 'react-router';
import type { Transaction } from '../api/types.js';
import { reasonOf } from '../checks.js';
import { Moment } from './moment.js';
import { Money } from './money.js';
import { DecisionTag } from './tag.js';

interface Props {
  transaction: Transaction;
  to: LinkProps['to'];
  /** The wallet's name, where several are shown together. */
  from?: string | undefined;
}

/** An attempt to pay, as a line that opens it. */
export function TransactionRow({ transaction, to, from }: Props) {
  const { merchantName, blockReason, reason } = transaction;
  return (
    <Link to={to} className="row transaction" preventScrollReset>
      <div>
        <Text size="sm" fw={500} truncate>
          {merchantName}
        </Text>
        <Text size="xs" c="dimmed" truncate>
          {from && `${from}${blockReason || reason ? ' · ' : ''}`}
          {blockReason ? <span className="bad">{reasonOf(blockReason)}</span> : reason}
        </Text>
      </div>
      <DecisionTag decision={transaction.decision} />
      <Text size="xs" c="dimmed" component="div">
        <Moment at={transaction.createdAt} />
      </Text>
      <Money kobo={transaction.amount} bold />
    </Link>
  );
}
