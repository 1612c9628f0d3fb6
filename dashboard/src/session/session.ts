import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { whoIsSignedIn } from '../api/calls.js';
import { queryKeys } from '../api/query-keys.js';
import type { Membership, SignedIn } from '../api/types.js';
import type { Act } from './permissions.js';
import { forgetKeys } from './secrets.js';

const query = queryOptions({ queryKey: queryKeys.session, queryFn: whoIsSignedIn, staleTime: Infinity });

/** The signed-in user; null: there is none. */
export function useSession() {
  return useQuery(query);
}

/** The signed-in user, on a screen that needs one. */
export function useUser(): SignedIn {
  const user = useQueryClient().getQueryData(query.queryKey) ?? former;
  if (!user) throw new Error('a screen for users is shown without a session');
  return user;
}

/** The present role and business of the signed-in user: both may change while a screen is shown. */
export function useMembership(): Membership {
  const user = useUser();
  return (useSession().data ?? user).membership;
}

/** True if a second factor guards the login of the signed-in user. */
export function useHasTwoFactor(): boolean {
  const user = useUser();
  return (useSession().data ?? user).hasTwoFactor;
}

/** True if the role allows it; `Allowed` says in words why not. */
export const useMay = (act: Act): boolean => useMembership().can.includes(act);

/** A screen may be drawn once more before the guard leads away from it. */
let former: SignedIn | null = null;

let isLeft = false;

/** The user chose to sign out: the next one to sign in starts at the beginning, not where this one was. */
export function leave(): void {
  isLeft = true;
}

export const hasLeft = () => isLeft;

let isOver = false;

/** The session ended, and no new one has begun since. */
export const isSessionOver = () => isOver;

/** A user signed in: what was kept of the one before is forgotten. */
export function begin(client: QueryClient, user: SignedIn | null): void {
  isLeft = false;
  isOver = false;
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== queryKeys.session[0] });
  client.setQueryData(queryKeys.session, user);
}

/** The session is over; the guard of the screens leads to signing in. */
export function clearSession(client: QueryClient): void {
  forgetKeys();
  isOver = true;
  former = client.getQueryData(query.queryKey) ?? former;
  client.setQueryData(queryKeys.session, null);
}
