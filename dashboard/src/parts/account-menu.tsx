import { Menu } from '@mantine/core';
import { Link } from 'react-router';
import { useUser } from '../session.js';
import { AccountButton } from './account-button.js';
import { useSignOut } from './use-sign-out.js';

/** What one can do about one's account; loaded with its first use, and opened then. */
export default function AccountMenu() {
  const user = useUser();
  const leave = useSignOut();
  return (
    <Menu position="bottom-end" width={240} defaultOpened>
      <Menu.Target>
        <AccountButton />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{user.accountType === 'business' ? 'Business account' : 'Developer account'}</Menu.Label>
        <Menu.Item component={Link} to="/settings">
          Settings
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item onClick={() => leave.mutate()}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
