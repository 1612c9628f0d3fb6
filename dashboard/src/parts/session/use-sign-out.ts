import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { signOut } from '../../api/calls.js';
import { clearSession, leave } from '../../session/session.js';

export function useSignOut() {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: () => {
      // Before what is still asked for is answered that the session is over.
      leave();
      return signOut();
    },
    onSettled: async () => {
      await navigate('/');
      clearSession(client);
    },
  });
}
