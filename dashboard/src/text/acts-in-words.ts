import { fieldName } from './words.js';

/* What the activity log says, in words. */

/** Kinds to filter by: the part before the dot. */
export const ACT_KINDS: readonly { readonly value: string; readonly label: string }[] = [
  { value: 'sign-in', label: 'Sign-ins' },
  { value: 'session', label: 'Sessions' },
  { value: 'security', label: 'Passwords and two-factor' },
  { value: 'member', label: 'Members' },
  { value: 'key', label: 'API keys' },
  { value: 'wallet', label: 'Wallets and rules' },
  { value: 'payee', label: 'Payees' },
  { value: 'payment', label: 'Approvals' },
  { value: 'money', label: 'Withdrawals and transfers' },
  { value: 'webhook', label: 'Webhooks' },
  { value: 'business', label: 'Business' },
  { value: 'export', label: 'Downloads' },
];

const ACTS: Readonly<Record<string, string>> = {
  'sign-in.succeeded': 'Signed in',
  'sign-in.failed': 'Sign-in refused',
  'session.ended': 'Session ended',
  'session.all-ended': 'Signed out everywhere',
  'security.password-changed': 'Password changed',
  'security.password-reset': 'Password reset by email',
  'security.two-factor-enabled': 'Two-factor turned on',
  'security.two-factor-disabled': 'Two-factor turned off',
  'security.two-factor-locked': 'Too many wrong two-factor codes',
  'member.invited': 'Member invited',
  'member.invitation-revoked': 'Invitation revoked',
  'member.joined': 'Member joined',
  'member.role-changed': 'Role changed',
  'member.removed': 'Member removed',
  'member.left': 'Member left',
  'key.created': 'Key created',
  'key.renamed': 'Key renamed',
  'key.replaced': 'Key replaced',
  'key.revoked': 'Key revoked',
  'wallet.opened': 'Wallet created',
  'wallet.created': 'Wallet created',
  'wallet.updated': 'Rules changed',
  'wallet.suspended': 'Wallet frozen',
  'wallet.resumed': 'Wallet resumed',
  'wallet.closed': 'Wallet closed',
  'payee.registered': 'Payee added',
  'payee.removed': 'Payee removed',
  'payment.approved': 'Payment approved',
  'payment.first-approved': 'Payment approved, 1 of 2',
  'payment.denied': 'Payment denied',
  'money.withdrawn': 'Money withdrawn',
  'money.transferred': 'Money moved',
  'webhook.created': 'Endpoint added',
  'webhook.changed': 'Endpoint changed',
  'webhook.deleted': 'Endpoint deleted',
  'webhook.secret-rotated': 'Endpoint secret rotated',
  'business.changed': 'Business details changed',
  'business.security-changed': 'Demand of two-factor changed',
  'export.downloaded': 'File downloaded',
};

export const actInWords = (act: string): string => ACTS[act] ?? fieldName(act.replaceAll('-', ' '));
