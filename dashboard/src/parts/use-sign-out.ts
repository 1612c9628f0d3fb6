import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { signOut } from '../api/calls.js';
import { clearSession } from '../session.js';

export function useSignOut() {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: signOut,
    onSettled: async () => {
      // Who signs in next starts at the beginning.
      await navigate('/');
      clearSession(client);
    },
  });
}
