import type { FoundUser, FoundWallet } from '../../api/operator.js';
import { naira } from '../../money/money.js';
import { Moment } from '../../parts/display/moment.js';
import { useUser } from '../../session/session.js';
import { asSentence } from '../../text/words.js';
import { ActButton } from './act-button.js';
import { Item, Traits } from './parts.js';

export function UserItem({ user }: { user: FoundUser }) {
  const { id, email, role, suspendedAt } = user;
  const isSelf = useUser().id === id;
  return (
    <Item
      title={email}
      tag={suspendedAt ? { name: 'Suspended', tone: 'bad' } : null}
      acts={!isSelf && <ActButton act={suspendedAt ? 'user.resume' : 'user.suspend'} subject={id} />}
    >
      <Traits
        of={[
          [
            'User ID',
            <span key="id" className="mono">
              {id}
            </span>,
          ],
          ['Role', asSentence(role)],
          ['Two-factor', user.hasTwoFactor ? 'On' : 'Off'],
          ['Operator', user.isOperator ? 'Yes' : null],
          ['Signed up', <Moment key="at" at={user.createdAt} />],
          ['Suspended', suspendedAt && <Moment at={suspendedAt} />],
        ]}
      />
    </Item>
  );
}

const STATUSES = {
  ACTIVE: { name: 'Active', tone: 'good' },
  SUSPENDED: { name: 'Suspended by its owner', tone: 'wait' },
  CLOSED: { name: 'Closed', tone: 'calm' },
} as const;

export function WalletItem({ wallet }: { wallet: FoundWallet }) {
  const { id, name, status, suspendedByOperator, balance, held } = wallet;
  return (
    <Item
      title={name}
      tag={suspendedByOperator ? { name: 'Suspended by an operator', tone: 'bad' } : STATUSES[status]}
      acts={
        status !== 'CLOSED' && (
          <ActButton act={suspendedByOperator ? 'wallet.resume' : 'wallet.suspend'} subject={id} />
        )
      }
    >
      <Traits
        of={[
          [
            'Wallet ID',
            <span key="id" className="mono">
              {id}
            </span>,
          ],
          ['Balance', naira(balance)],
          ['Held for approvals', held > 0 ? naira(held) : null],
          ['Created', <Moment key="at" at={wallet.createdAt} />],
        ]}
      />
    </Item>
  );
}
