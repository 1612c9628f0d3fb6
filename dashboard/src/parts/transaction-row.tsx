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
  /** Said instead of the caller's reason. */
  note?: string | undefined;
}

/** An attempt to pay, as a line that opens it. */
export function TransactionRow({ transaction, to, note }: Props) {
  const why = transaction.blockReason
    ? reasonOf(transaction.blockReason)
    : (note ?? transaction.reason ?? '');
  return (
    <Link to={to} className="row transaction" preventScrollReset>
      <Text size="sm" c="dimmed" component="div">
        <Moment at={transaction.createdAt} />
      </Text>
      <Text fw={500} truncate>
        {transaction.merchantName}
      </Text>
      <Text
        size="sm"
        c="dimmed"
        truncate
        component="div"
        style={{ display: 'flex', gap: 8, alignItems: 'center' }}
      >
        <DecisionTag decision={transaction.decision} />
        <Text span size="sm" truncate visibleFrom="xs">
          {why}
        </Text>
      </Text>
      <Text className="end">
        <Money kobo={transaction.amount} bold />
      </Text>
    </Link>
  );
}
