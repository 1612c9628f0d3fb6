import { randomUUID } from 'node:crypto';
import { type CreatedWallet, expectStatus, type TestService } from './service.js';

/** Takes money out of a wallet to an account that the sandbox bank pays; answers the id, which is the payout's reference. */
export async function withdraw(
  service: TestService,
  { id, owner }: Pick<CreatedWallet, 'id' | 'owner'>,
  amount: number,
  accountNumber = '0123456789',
): Promise<string> {
  const answer = await service.post<{ data: { withdrawal: { id: string } } }>(
    `/api/wallets/${id}/withdrawals`,
    {
      token: owner.token,
      headers: { 'idempotency-key': randomUUID() },
      body: { amount, accountNumber, bankCode: '058' },
    },
  );
  return expectStatus(201, answer).body.data.withdrawal.id;
}
