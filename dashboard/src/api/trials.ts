import type { WalletLimits } from '../wallet/wallet-limits.js';
import { answerOf, api } from './request.js';
import type { Backtest, ShadowTrial } from './types.js';

/* What other limits would have done, and limits on trial beside the real ones. */

const ofWallet = (walletId: string) => ({ params: { path: { walletId } } });

/** What these limits would have made of the payments of the last `days`; what is absent stays as it was then. */
export async function backtest(
  walletId: string,
  days: number,
  limits: Partial<WalletLimits>,
): Promise<Backtest> {
  const body = { days, ...limits };
  return (await answerOf(api.POST('/api/wallets/{walletId}/backtest', { ...ofWallet(walletId), body }))).data;
}

/** The limits on trial, and what they would have done since; null for none. */
export async function shadowTrial(walletId: string): Promise<ShadowTrial | null> {
  const answer = await answerOf(api.GET('/api/wallets/{walletId}/shadow-rules', ofWallet(walletId)));
  return answer.data.shadow;
}

const NONE = {
  spendLimitPerTx: null,
  spendLimitPeriod: null,
  periodWindowDays: null,
  expiry: null,
  useAllowlist: null,
  merchantAllowlist: null,
};

/** Tries exactly these limits from now on; none ends the trial. */
export async function tryLimits(
  walletId: string,
  limits: Partial<WalletLimits>,
): Promise<ShadowTrial | null> {
  const body = { ...NONE, ...limits };
  const answer = await answerOf(
    api.PATCH('/api/wallets/{walletId}/shadow-rules', { ...ofWallet(walletId), body }),
  );
  return answer.data.shadow;
}
