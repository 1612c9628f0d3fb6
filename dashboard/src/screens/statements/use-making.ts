import { useMutation, useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../../api/query-keys.js';
import { makeStatement } from '../../api/statements.js';

/** Asks for a statement, and has the list show it. */
export function useMaking() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: makeStatement,
    onSettled: () => client.invalidateQueries({ queryKey: queryKeys.statements() }),
  });
}
