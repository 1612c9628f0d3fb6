export const ROLES = ['owner', 'approver', 'developer', 'viewer', 'accountant'] as const;
export type Role = (typeof ROLES)[number];

interface Permission {
  readonly does: string;
  readonly roles: readonly Role[];
}

/** Every act of a session, and the roles that may. The API, the dashboard and docs/roles.md go by it. */
export const PERMISSIONS = {
  self: { does: 'use their own login: sessions, password, two-factor', roles: ROLES },
  'wallets.read': { does: 'see wallets, payments, approvals, payees, ledger, webhooks', roles: ROLES },
  'members.read': { does: 'see who else is a member', roles: ROLES },
  'wallets.create': { does: 'create wallets', roles: ['owner'] },
  'wallets.change': { does: 'change limits and safeguards, and resume wallets', roles: ['owner'] },
  'wallets.suspend': { does: 'suspend wallets', roles: ['owner', 'approver'] },
  'money.move': { does: 'withdraw, transfer, and close wallets', roles: ['owner'] },
  'keys.manage': { does: 'create, rename and revoke API keys', roles: ['owner', 'developer'] },
  'payees.manage': { does: 'register and remove payees', roles: ['owner'] },
  'payments.approve': { does: 'approve and deny payments', roles: ['owner', 'approver'] },
  'payments.annotate': {
    does: 'edit memo, category, notes and files of payments',
    roles: ['owner', 'approver', 'accountant'],
  },
  'rules.try': { does: 'try other rules', roles: ['owner', 'approver', 'developer'] },
  'webhooks.manage': { does: 'change webhook endpoints, test and resend', roles: ['owner', 'developer'] },
  'exports.download': { does: 'download CSV files', roles: ['owner', 'approver', 'accountant'] },
  'statements.make': {
    does: 'create and download statements',
    roles: ['owner', 'approver', 'accountant'],
  },
  'activity.read': { does: 'read the activity log', roles: ['owner', 'accountant'] },
  'sandbox.fund': { does: 'simulate transfers in the sandbox', roles: ['owner', 'developer'] },
  'business.change': { does: 'change business details', roles: ['owner'] },
  'members.manage': { does: 'invite, change and remove members', roles: ['owner'] },
} as const satisfies Record<string, Permission>;

export type Act = keyof typeof PERMISSIONS;

export function can(role: Role, act: Act): boolean {
  return (PERMISSIONS[act].roles as readonly Role[]).includes(role);
}

/** Says which roles may. */
export function refusalOf(act: Act): string {
  const { does, roles } = PERMISSIONS[act];
  const [last, ...others] = [...roles].reverse();
  const may = others.length > 0 ? `${others.reverse().join(', ')} or ${last}` : last;
  return `Your role may not ${does}: it takes the role ${may}.`;
}
