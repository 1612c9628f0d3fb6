import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { payPending } from '../support/approvals.js';
import { ApprovalsDesk } from '../support/approvals-desk.js';
import { type TestService } from '../support/service.js';

const desk = new ApprovalsDesk();
const { approve, askingWallet } = desk;

let one: TestService;

beforeAll(async () => {
  ({ one } = await desk.start());
});
afterEach(() => desk.check());
afterAll(() => desk.close());

describe('the database itself', () => {
  it.each<[string, (id: string, walletId: string) => string, string]>([
    [
      'a payment of another amount than was decided on',
      (id) => `UPDATE transactions SET amount = amount + 1 WHERE id = '${id}'`,
      'final',
    ],
    [
      'a payment that is decided again',
      (id) =>
        `UPDATE transactions SET approval = 'pending', approval_decided_at = NULL, approval_decided_by = NULL WHERE id = '${id}'`,
      'final',
    ],
    [
      'an outcome that contradicts the block',
      (id) => `UPDATE transactions SET block_reason = 'APPROVAL_DENIED' WHERE id = '${id}'`,
      'transactions_check',
    ],
    [
      'a denial that blocks nothing',
      (id) => `UPDATE transactions SET approval = 'denied' WHERE id = '${id}'`,
      'transactions_check',
    ],
    [
      'an expiry under the name of a denial',
      (id) =>
        `UPDATE transactions SET approval = 'expired', block_reason = 'APPROVAL_DENIED' WHERE id = '${id}'`,
      'transactions_check',
    ],
    [
      'an approval at its expiry',
      (id) => `UPDATE transactions SET approval_decided_at = approval_expires_at WHERE id = '${id}'`,
      'transactions_check',
    ],
    [
      'an approval that never expires',
      (id) => `UPDATE transactions SET approval_expires_at = NULL WHERE id = '${id}'`,
      'transactions_check',
    ],
    [
      'an approval without its time',
      (id) => `UPDATE transactions SET approval_decided_at = NULL WHERE id = '${id}'`,
      'transactions_check',
    ],
    [
      'a time of decision where nobody was asked',
      (id) => `UPDATE transactions SET approval = NULL, approval_expires_at = NULL WHERE id = '${id}'`,
      'transactions_check',
    ],
    [
      'an expiry where nobody was asked',
      (id) => `UPDATE transactions SET approval = NULL, approval_decided_at = NULL WHERE id = '${id}'`,
      'transactions_check',
    ],
    [
      'an unknown outcome',
      (id) => `UPDATE transactions SET approval = 'maybe' WHERE id = '${id}'`,
      'transactions_check',
    ],
    [
      'a pending payment that was decided',
      (id) => `UPDATE transactions SET approval = 'pending' WHERE id = '${id}'`,
      'transactions_check',
    ],
    [
      'a hold past the balance',
      (_, walletId) => `UPDATE wallets SET held = balance + 1, held_count = 1 WHERE id = '${walletId}'`,
      'wallets_check',
    ],
    [
      'a hold below zero',
      (_, walletId) => `UPDATE wallets SET held = -1 WHERE id = '${walletId}'`,
      'wallets_check',
    ],
  ])('refuses %s', async (_, statement, guard) => {
    const wallet = await askingWallet(50_000);
    const { id } = await payPending(one, wallet, { amount: 2_000 });
    await approve(wallet, id);
    const refused = one.query(statement(id, wallet.id)).then(
      () => 'nothing',
      (error: unknown) => (error as pg.DatabaseError).constraint ?? String(error),
    );
    expect(await refused).toContain(guard);
  });
});
