import type { Answer, CreatedWallet, PageOf, TestService } from './service.js';

export interface TestPayee {
  readonly id: string;
  readonly walletId: string;
  readonly merchant: string;
  readonly merchantName: string;
  readonly accountNumber: string;
  readonly bankCode: string;
  readonly accountName: string | null;
  readonly origin: string;
  readonly firstTransactionId: string | null;
  readonly createdAt: string;
  readonly keyId?: string;
}

export interface PayeeBody {
  readonly data: { readonly payee: TestPayee };
  readonly error: { readonly code: string };
}

export interface Change {
  readonly userId: string;
  readonly action: string;
  readonly before: Record<string, unknown>;
  readonly after: Record<string, unknown>;
  readonly createdAt: string;
}

/** An account as the routes of payees name it. */
export const account = (accountNumber: string, bankCode = '058') => ({ accountNumber, bankCode });
/** The same account as a payment names it. */
export const recipient = (recipientAccountNo: string, recipientBankCode = '058') => ({
  recipientAccountNo,
  recipientBankCode,
});

export const registerPayee = (
  service: TestService,
  { id, owner }: CreatedWallet,
  fields: object,
  token = owner.token,
): Promise<Answer<PayeeBody>> =>
  service.post<PayeeBody>(`/api/wallets/${id}/payees`, { token, body: fields });

export const removePayee = (
  service: TestService,
  { id, owner }: CreatedWallet,
  payeeId: string,
  token = owner.token,
): Promise<Answer<PayeeBody>> =>
  service.call<PayeeBody>('DELETE', `/api/wallets/${id}/payees/${payeeId}`, { token });

export const payeesOf = async (
  service: TestService,
  { id, owner }: CreatedWallet,
  query = '',
): Promise<PageOf<TestPayee>> =>
  (await service.get<PageOf<TestPayee>>(`/api/wallets/${id}/payees${query}`, { token: owner.token })).body;

/** The changes of a wallet, oldest first. */
export const changesOf = async (service: TestService, { id, owner }: CreatedWallet): Promise<Change[]> => {
  const path = `/api/wallets/${id}/changes?pageSize=100`;
  return [...(await service.get<PageOf<Change>>(path, { token: owner.token })).body.data].reverse();
};

/** Changes settings of a wallet; answers the status and the code of a refusal. */
export const change = async (
  service: TestService,
  { id, owner }: CreatedWallet,
  settings: object,
): Promise<number | string> => {
  const { status, body } = await service.call<{ error?: { code: string } }>('PATCH', `/api/wallets/${id}`, {
    token: owner.token,
    body: settings,
  });
  return body.error?.code ?? status;
};
