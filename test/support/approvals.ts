import { ApprovalsService } from '../../src/contexts/payments/approvals/approvals.service.js';
import {
  type Answer,
  type CreatedWallet,
  expectStatus,
  type PaymentAnswer,
  type TestService,
} from './service.js';

export interface Approval {
  readonly id: string;
  readonly walletId: string;
  readonly status: string;
  readonly expiresAt: string;
  readonly decidedAt: string | null;
  readonly decidedBy: string | null;
  readonly note: string | null;
  readonly paidBefore?: { readonly payments: number };
  readonly createdAt: string;
  readonly transaction: {
    readonly id: string;
    readonly decision: string;
    readonly status: string;
    readonly blockReason: string | null;
  };
}

export interface ApprovalBody {
  readonly data: { readonly approval: Approval };
  readonly error: { readonly code: string; readonly message: string };
}

/** Has payments above `threshold` of a wallet wait for a person. */
export async function askAbove(
  service: TestService,
  { id, owner }: CreatedWallet,
  threshold: number | null,
  fields: Record<string, unknown> = {},
): Promise<void> {
  const body = { approvalThreshold: threshold, ...fields };
  expectStatus(200, await service.call('PATCH', `/api/wallets/${id}`, { token: owner.token, body }));
}

/** A payment that waits for a person. */
export async function payPending(
  service: TestService,
  wallet: CreatedWallet,
  fields: Record<string, unknown> = {},
  headers?: Record<string, string>,
): Promise<Approval & { readonly expiresAt: string }> {
  const answer = expectStatus(202, await service.pay(wallet.key, fields, headers));
  return approvalIn(answer);
}

export function approvalIn({ body }: Answer<PaymentAnswer>): Approval {
  return (body.data as unknown as { approval: Approval }).approval;
}

/** Decides an approval as the owner of its wallet. */
export function decide(
  service: TestService,
  { owner }: Pick<CreatedWallet, 'owner'>,
  id: string,
  word: 'approve' | 'deny',
  body: object = {},
): Promise<Answer<ApprovalBody>> {
  return service.post<ApprovalBody>(`/v1/approvals/${id}/${word}`, { token: owner.token, body });
}

const LAPSE_TURNS_MAX = 100;

/** Lets all lapse that is due: one turn of the service takes a hundred wallets, and other tests may have left as many. */
export async function lapseAll(service: TestService): Promise<void> {
  const due = `SELECT FROM transactions WHERE approval = 'pending' AND approval_expires_at <= clock_timestamp() LIMIT 1`;
  for (let turns = 0; (await service.query(due)).length > 0; turns += 1) {
    if (turns === LAPSE_TURNS_MAX) throw new Error(`something due has not lapsed in ${turns} turns`);
    await service.app.get(ApprovalsService).expireDue();
  }
}
