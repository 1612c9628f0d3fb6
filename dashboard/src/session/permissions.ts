import {
  type Act,
  can,
  PERMISSIONS,
  type Role,
  ROLES,
} from '../../../src/contexts/identity/permissions.port.js';

/* What roles may, in words: from the table that the API goes by. */

export { ROLES };
export type { Act, Role };

const WITH_ARTICLE: Readonly<Record<Role, string>> = {
  owner: 'an owner',
  approver: 'an approver',
  developer: 'a developer',
  viewer: 'a viewer',
  accountant: 'an accountant',
};

/** `Only an owner or an approver may approve and deny payments.` */
export function refusalOf(act: Act): string {
  const { does, roles } = PERMISSIONS[act];
  return `Only ${listed(
    roles.map((role) => WITH_ARTICLE[role]),
    'or',
  )} may ${does}.`;
}

const SEES_ALL = Object.keys(PERMISSIONS).filter((act) => ROLES.every((role) => can(role, act as Act)));

/** What a role may beyond seeing everything. */
export function roleInWords(role: Role): string {
  if (role === 'owner') return 'May do everything.';
  const more = (Object.keys(PERMISSIONS) as Act[]).filter((act) => can(role, act) && !SEES_ALL.includes(act));
  const may = more.map((act) => PERMISSIONS[act].does);
  return may.length > 0 ? `Sees everything. May ${listed(may, 'and')}.` : 'Sees everything, changes nothing.';
}

export const roleName = (role: Role) => role.charAt(0).toUpperCase() + role.slice(1);

function listed(parts: readonly string[], word: string): string {
  const last = parts.at(-1) ?? '';
  return parts.length > 1 ? `${parts.slice(0, -1).join(', ')} ${word} ${last}` : last;
}
