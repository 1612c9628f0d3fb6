import { useQuery } from '@tanstack/react-query';
import { banks as listBanks } from '../api/calls.js';
import { queryKeys } from '../api/query-keys.js';
import type { Bank } from '../api/types.js';

const NONE: readonly Bank[] = [];

/** The banks that can be paid; none while they are being loaded. */
export function useBanks(): readonly Bank[] {
  return useQuery({ queryKey: queryKeys.banks, queryFn: listBanks, staleTime: Infinity }).data ?? NONE;
}

/** Names a bank by its code; an unknown one by the code itself. */
export function useBankNames(): (code: string) => string {
  const names = new Map(useBanks().map(({ code, name }) => [code, name]));
  return (code) => names.get(code) ?? `Bank ${code}`;
}
