import { answerOf, api } from './request.js';

/** The signed receipt of a payment, approved or not: a compact JWS. */
export async function receiptOf(transactionId: string): Promise<string> {
  const params = { path: { transactionId } };
  const answer = await answerOf(api.GET('/api/payment-intent/{transactionId}/receipt', { params }));
  return answer.data.receipt;
}
