import { useQuery } from '@tanstack/react-query';
import { isSandbox } from '../../api/calls.js';
import { queryKeys } from '../../api/query-keys.js';
import { Tag } from './tag.js';

/** Undefined until it is known. */
export const useSandbox = () =>
  useQuery({ queryKey: queryKeys.isSandbox, queryFn: isSandbox, staleTime: Infinity }).data;

/** Says that no real money moves here; nothing with a real bank. */
export function SandboxTag() {
  return useSandbox() ? (
    <span title="The sandbox bank moves no real money." className="sandbox">
      <Tag tone="wait">Sandbox</Tag>
    </span>
  ) : null;
}
