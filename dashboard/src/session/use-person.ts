import { useQuery } from '@tanstack/react-query';
import { members } from '../api/members.js';
import { queryKeys } from '../api/query-keys.js';
import { useUser } from './session.js';

/** Names who acted, by their user id: "you", a member's e-mail, or "a former member"; "a member" until they are loaded. */
export function usePerson(): (userId: string) => string {
  const user = useUser();
  const { data } = useQuery({ queryKey: queryKeys.members, queryFn: members });
  return (userId) => {
    if (userId === user.id) return 'you';
    if (!data) return 'a member';
    return data.find((member) => member.userId === userId)?.email ?? 'a former member';
  };
}
