import { Button, Menu, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { useSecretAtRisk } from '../../session/secrets.js';
import { useMembership, useUser } from '../../session/session.js';
import { AccountButton } from './account-button.js';
import { Actions } from '../forms/actions.js';
import { useSignOut } from '../session/use-sign-out.js';
import { Modal } from '../display/windows.js';

/** Loaded with its first use. */
export default function AccountMenu() {
  const user = useUser();
  const { business } = useMembership();
  const leave = useSignOut();
  const isAtRisk = useSecretAtRisk();
  const [isAsking, setIsAsking] = useState(false);
  const stay = () => setIsAsking(false);
  return (
    <>
      <Menu position="bottom-end" width={240} defaultOpened>
        <Menu.Target>
          <AccountButton />
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>
            {business || user.accountType === 'business' ? 'Business account' : 'Developer account'}
          </Menu.Label>
          <Menu.Item component={Link} to="/settings">
            Settings
          </Menu.Item>
          {user.isOperator && (
            <Menu.Item component={Link} to="/operator">
              Operators
            </Menu.Item>
          )}
          <Menu.Divider />
          <Menu.Item onClick={() => (isAtRisk ? setIsAsking(true) : leave.mutate())}>Sign out</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Modal opened={isAsking} onClose={stay} title="Sign out and lose the key?">
        <Stack>
          <Text size="sm">
            A key or secret was shown to you and you haven’t said that you stored it. It can’t be shown again
            once you sign out.
          </Text>
          <Actions onCancel={stay}>
            <Button color="red" loading={leave.isPending} onClick={() => leave.mutate()}>
              Sign out anyway
            </Button>
          </Actions>
        </Stack>
      </Modal>
    </>
  );
}
