import type { ReactNode } from 'react';
import {
  ApprovalIcon,
  BookIcon,
  FileIcon,
  HookIcon,
  ListIcon,
  SettingsIcon,
  WalletIcon,
} from '../display/icons.js';

interface Screen {
  readonly to: string;
  readonly name: string;
  readonly icon: ReactNode;
  readonly isHere: (path: string) => boolean;
}

const under = (start: string) => (path: string) => path === start || path.startsWith(`${start}/`);

/** The screens that the menu and the command palette lead to. */
export const SCREENS: readonly Screen[] = [
  {
    to: '/',
    name: 'Wallets',
    icon: <WalletIcon />,
    isHere: (path) => path === '/' || under('/wallets')(path),
  },
  { to: '/payments', name: 'Payments', icon: <ListIcon />, isHere: under('/payments') },
  { to: '/approvals', name: 'Approvals', icon: <ApprovalIcon />, isHere: under('/approvals') },
  { to: '/statements', name: 'Statements', icon: <FileIcon />, isHere: under('/statements') },
  { to: '/webhooks', name: 'Webhooks', icon: <HookIcon />, isHere: under('/webhooks') },
  { to: '/settings', name: 'Settings', icon: <SettingsIcon />, isHere: under('/settings') },
];

export const EXTERNAL = [{ href: '/docs', name: 'API reference', icon: <BookIcon /> }] as const;
