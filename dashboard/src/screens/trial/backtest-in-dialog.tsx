import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { queryKeys } from '../../api/query-keys.js';
import { backtest } from '../../api/trials.js';
import type { Wallet } from '../../api/types.js';
import { Answer } from '../../parts/loading/answer.js';
import { BlocksLoading } from '../../parts/loading/loading.js';
import { backtestOf, limitsOf, type WalletLimits } from '../../wallet/wallet-limits.js';
import { BacktestResult } from './backtest-result.js';

const DAYS = 30;

/** Judges the last payments by changed limits, beside the form that changes them. */
export default function BacktestInDialog({
  wallet,
  changed,
}: {
  wallet: Wallet;
  changed: Partial<WalletLimits>;
}) {
  const body = backtestOf({ ...limitsOf(wallet), ...changed }, changed);
  const query = useQuery({
    queryKey: queryKeys.backtest(wallet.id, DAYS, body),
    queryFn: () => backtest(wallet.id, DAYS, body),
    placeholderData: keepPreviousData,
  });
  return (
    <Answer of={query} what="The result" loading={<BlocksLoading heights={[24, 60]} />}>
      {(result) => <BacktestResult result={result} days={DAYS} isPlain />}
    </Answer>
  );
}
