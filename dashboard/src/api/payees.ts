import { answerOf, api } from './request.js';
import type { NewPayee } from './types.js';

/* The calls about the payees of a wallet: the accounts that merchants may be paid at. */

const ofWallet = (walletId: string) => ({ params: { path: { walletId } } });

export const payees = (walletId: string, page: number) =>
  answerOf(
    api.GET('/api/wallets/{walletId}/payees', {
      params: { path: { walletId }, query: { page, pageSize: 10 } },
    }),
  );

/** Throws `ACCOUNT_NOT_FOUND`. */
export const registerPayee = async (walletId: string, body: NewPayee) =>
  (await answerOf(api.POST('/api/wallets/{walletId}/payees', { ...ofWallet(walletId), body }))).data.payee;

export const removePayee = (walletId: string, payeeId: string) =>
  answerOf(
    api.DELETE('/api/wallets/{walletId}/payees/{payeeId}', { params: { path: { walletId, payeeId } } }),
  );
