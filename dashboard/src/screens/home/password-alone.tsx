import { Alert, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import type { Act } from '../../session/permissions.js';
import { useHasTwoFactor, useMembership, useUser } from '../../session/session.js';

const LATER_DAYS = 30;

/** Kept in the browser. */
const markOf = (userId: string) => `two-factor-later:${userId}`;

const isPutOff = (userId: string) =>
  Number(localStorage.getItem(markOf(userId))) > Date.now() - LATER_DAYS * 86_400_000;

const RISKS: readonly (readonly [Act, string])[] = [
  ['money.move', 'withdraw your money'],
  ['payments.approve', 'approve payments'],
  ['wallets.change', 'raise limits'],
  ['keys.manage', 'make keys'],
];

/** Names the risks of an account without two-factor. */
export function PasswordAlone() {
  const { id } = useUser();
  const { can } = useMembership();
  const hasTwoFactor = useHasTwoFactor();
  const [isLater, setIsLater] = useState(() => isPutOff(id));
  if (hasTwoFactor || isLater) return null;
  const risks = RISKS.filter(([act]) => can.includes(act)).map(([, risk]) => risk);
  const last = risks.pop() ?? 'see every payment';
  const putOff = () => {
    localStorage.setItem(markOf(id), String(Date.now()));
    setIsLater(true);
  };
  return (
    <Alert color="yellow" variant="light" role="status" title="Your password alone opens this account">
      <Text size="sm" mb="sm">
        Whoever learns it can {risks.length > 0 ? `${risks.join(', ')} and ${last}` : last}. A passkey or an
        authenticator app keeps them out.
      </Text>
      <Group gap="xs">
        <Button size="xs" component={Link} to="/settings">
          Set up two-factor
        </Button>
        <Button size="xs" variant="default" onClick={putOff}>
          Remind me in {LATER_DAYS} days
        </Button>
      </Group>
    </Alert>
  );
}
