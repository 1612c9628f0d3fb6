import { answerOf, api } from './request.js';
import type { NewKey } from './types.js';

/* The calls about the API keys of a wallet. */

const ofWallet = (walletId: string) => ({ params: { path: { walletId } } });
const ofKey = (walletId: string, keyId: string) => ({ params: { path: { walletId, keyId } } });

export const keys = async (walletId: string) =>
  (await answerOf(api.GET('/api/wallets/{walletId}/keys', ofWallet(walletId)))).data;

/** With `graceSeconds` and `replaces` it takes the place of another one. The answer alone holds the whole key. */
export const createKey = async (walletId: string, body: NewKey) =>
  (await answerOf(api.POST('/api/wallets/{walletId}/keys', { ...ofWallet(walletId), body }))).data.apiKey;

export const renameKey = (walletId: string, keyId: string, name: string) =>
  answerOf(api.PATCH('/api/wallets/{walletId}/keys/{keyId}', { ...ofKey(walletId, keyId), body: { name } }));

export const revokeKey = (walletId: string, keyId: string) =>
  answerOf(api.DELETE('/api/wallets/{walletId}/keys/{keyId}', ofKey(walletId, keyId)));
