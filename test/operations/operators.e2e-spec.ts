import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { OperatorGrants } from '../../src/contexts/operations/acts/grants.service.js';
import { archiveBatch } from '../../src/contexts/settlement/settlement-archive.store.js';
import type { Queryable } from '../../src/platform/database/tx.js';
import { brokenInvariants } from '../support/invariants.js';
import { Operator } from '../support/operators.js';
import { SENT_BACK, SentBack } from '../support/sent-back.js';
import { chargeBody, PASSWORD, startService, type TestService } from '../support/service.js';
import { withdraw } from '../support/withdrawals.js';

/** Operators end incidents without SQL; above ₦900 here, two of them. */

const FOUR_EYES_KOBO = 90_000;
const DAY_MS = 24 * 60 * 60_000;

let service: TestService;
let replica: TestService;
let bank: SentBack;
let ada: Operator;
let bisi: Operator;
beforeAll(async () => {
  const env = { OPERATOR_FOUR_EYES_KOBO: String(FOUR_EYES_KOBO) };
  service = await startService({ env });
  replica = await startService({ beside: service, env });
  bank = new SentBack(service);
  ada = await Operator.make(service);
  bisi = await Operator.make(service);
  // Both sessions give their code once.
  expect((await ada.post(`proposals/${randomUUID()}/reject`)).status).toBe(404);
  expect((await bisi.post(`proposals/${randomUUID()}/reject`)).status).toBe(404);
});
afterEach(async () => {
  expect(await brokenInvariants(service)).toEqual({});
});
afterAll(async () => {
  await replica.close();
  await service.close();
});

interface Transfer {
  readonly id: string;
  readonly reference: string;
  readonly status: string;
}

/** A transfer for an account reference that no wallet has; answers it as listed. */
async function unmatched(naira = 500): Promise<Transfer & { readonly body: unknown }> {
  const body = chargeBody(randomUUID(), { reference: randomUUID(), amount: naira });
  expect((await service.webhook(body)).status).toBe(400);
  return { ...(await listed((body['data'] as { reference: string }).reference)), body };
}

async function listed(reference: string): Promise<Transfer> {
  const { body } = await ada.get<{ data: Transfer[] }>('transfers?pageSize=100');
  const found = body.data.find((each) => each.reference === reference);
  if (!found) throw new Error(`the transfer ${reference} is not listed`);
  return found;
}

const entriesOf = (reference: string) =>
  service.query<{ type: string; amount: number; caseId: string | null }>(
    `SELECT type, amount::float8 AS amount, case_id AS "caseId" FROM ledger_entries
      WHERE type <> 'debit' AND (reference = $1 OR transaction_id::text = $1)`,
    [reference],
  );

describe('the routes of operators', () => {
  it('refuse who is no operator, and an operator without two-factor authentication', async () => {
    const user = await service.signUp();
    for (const path of [
      'cases',
      'transfers',
      'settlements',
      'jobs',
      'endpoints',
      'acts',
      'proposals',
      'find?text=x',
    ]) {
      expect((await service.get(`/v1/operator/${path}`, { token: user.token })).status).toBe(403);
      expect((await service.get(`/v1/operator/${path}`)).status).toBe(401);
      expect((await ada.get(path)).status).toBe(200);
    }
    await service.query('UPDATE users SET is_operator = true WHERE id = $1', [user.id]);
    const answer = await service.get('/v1/operator/cases', { token: user.token });
    expect(answer.status).toBe(403);
    expect(answer.text).toContain('two-factor');
  });

  it('ask the second factor before an act', async () => {
    const fresh = await Operator.make(service);
    const answer = await fresh.on(service).act('case.close', randomUUID());
    expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('TWO_FACTOR_REQUIRED')]);
  });

  it('are granted only with two-factor authentication, and each grant is on record', async () => {
    const grants = service.app.get(OperatorGrants, { strict: false });
    const user = await service.signUp();
    expect(await grants.set(user.email, true, 'none')).toContain('two-factor');
    expect(await grants.set('nobody@example.com', true, 'none')).toContain('sign up');
    expect(await grants.set(ada.user.email, true, 'again')).toBeNull();
    const { body } = await ada.get<{ data: object[] }>(`acts?subject=${ada.id}`);
    expect(body.data).toMatchObject([{ act: 'operator.grant', operatorId: null, reason: 'a test' }]);
    await expect(service.query('DELETE FROM operator_acts')).rejects.toThrow('append-only');
  });
});

describe('money that matches no wallet', () => {
  it('is given to a wallet as a top-up that names the case; the case closes and a late webhook is a duplicate', async () => {
    const wallet = await service.createWallet();
    const { id, reference, body } = await unmatched();
    const { id: caseId } = (await ada.caseOf(reference))!;
    expect((await ada.post(`cases/${caseId}/assign`)).status).toBe(200);
    expect(await ada.caseOf(reference)).toMatchObject({ kind: 'transfer-unmatched', ownerId: ada.id });
    const answer = await ada.act('transfer.credit', id, { walletId: wallet.id });
    expect(answer.body.data).toMatchObject({
      act: { caseId, operatorId: ada.id, confirmedBy: null },
      proposal: null,
    });
    expect(await entriesOf(reference)).toEqual([{ type: 'topup', amount: 50_000, caseId }]);
    expect((await service.ledger(wallet)).data[0]).toMatchObject({ source: 'operator', caseId, reference });
    expect(await ada.caseOf(reference)).toBeUndefined();
    expect(await service.webhook(body)).toMatchObject({
      status: 200,
      body: { message: 'This transfer was received before; nothing more is credited.' },
    });
    expect((await ada.act('transfer.credit', id, { walletId: wallet.id })).status).toBe(404);
    expect(await service.stats(wallet)).toMatchObject({ balance: 50_000 });
  });

  it('is credited once, whatever races: two operators on two replicas, and a webhook that now matches', async () => {
    const wallet = await service.createWallet();
    const other = await service.createWallet();
    const { id, reference } = await unmatched();
    const late = chargeBody(other.id, { reference, amount: 500 });
    const [first, second, webhook] = await Promise.all([
      ada.act('transfer.credit', id, { walletId: wallet.id }),
      bisi.on(replica).act('transfer.credit', id, { walletId: wallet.id }),
      replica.webhook(late),
    ]);
    expect([first.status, second.status].filter((status) => status === 201).length).toBeLessThanOrEqual(1);
    expect(webhook.status).toBe(200);
    expect(await entriesOf(reference)).toHaveLength(1);
    const balances = [(await service.stats(wallet)).balance, (await service.stats(other)).balance];
    expect(balances.sort((a, b) => a - b)).toEqual([0, 50_000]);
  });

  it('is marked returned, and a delivery that matches later credits nothing', async () => {
    const wallet = await service.createWallet();
    const { id, reference, body } = await unmatched();
    expect((await ada.act('transfer.return', id)).status).toBe(201);
    expect((await service.webhook(body)).status).toBe(200);
    await expect(listed(reference)).rejects.toThrow('not listed');
    expect((await service.webhook(chargeBody(wallet.id, { reference, amount: 500 }))).status).toBe(200);
    expect(await entriesOf(reference)).toEqual([]);
    expect(await listed(reference)).toMatchObject({ status: 'conflict' });
  });
});

it('money that matches no wallet is listed with what the bank says against it', async () => {
  const reference = randomUUID();
  const told = (status: string) =>
    service.webhook(chargeBody(randomUUID(), { reference, amount: 500, status }));
  expect((await told(' Failed')).status).toBe(400);
  const said = expect.stringContaining('the bank reports a success whose data.status is "Failed"');
  expect(await listed(reference)).toMatchObject({ status: 'unmatched', reason: said });
  expect(await ada.caseOf(reference)).toMatchObject({ kind: 'transfer-unmatched', description: said });
});

describe('a transfer that is held', () => {
  it('is credited although the bank contradicted itself', async () => {
    const wallet = await service.createWallet();
    const reference = randomUUID();
    await service.webhook(chargeBody(wallet.id, { reference, amount: 500, status: 'pending' }));
    const { id, status } = await listed(reference);
    expect(status).toBe('held');
    expect((await ada.act('transfer.credit', id, { walletId: wallet.id })).status).toBe(201);
    expect(await service.stats(wallet)).toMatchObject({ balance: 50_000 });
    expect(await ada.caseOf(reference)).toBeUndefined();
  });

  it('keeps its case when what contradicts it is marked returned, as long as the money waits', async () => {
    const wallet = await service.createWallet();
    const reference = randomUUID();
    const told = (status: string, amount = 500) =>
      service.webhook(chargeBody(wallet.id, { reference, amount, status }));
    const waiting = async () => {
      const { body } = await ada.get<{ data: Transfer[] }>('transfers?pageSize=100');
      return body.data.filter((each) => each.reference === reference);
    };
    const openCases = async () => {
      const { body } = await ada.get<{ data: { kind: string; subject: string }[] }>('cases?pageSize=100');
      return body.data
        .filter(({ subject }) => subject === reference)
        .map(({ kind }) => kind)
        .sort();
    };
    await told('pending');
    await told('success');
    await told('success', 600);
    const [held, conflict, other] = (await waiting()) as [Transfer, Transfer, Transfer];
    expect([held.status, conflict.status, other.status]).toEqual(['held', 'conflict', 'conflict']);
    expect((await ada.act('transfer.return', conflict.id)).status).toBe(201);
    expect(await openCases()).toEqual(['transfer-conflict', 'transfer-held']);
    expect((await ada.act('transfer.return', other.id)).status).toBe(201);
    expect(await openCases()).toEqual(['transfer-held']);
    expect((await ada.act('transfer.credit', held.id, { walletId: wallet.id })).status).toBe(201);
    expect([await openCases(), await waiting()]).toEqual([[], []]);
    expect(await service.stats(wallet)).toMatchObject({ balance: 50_000 });
  });

  it('in another currency is refused, and can be returned', async () => {
    const wallet = await service.createWallet();
    const reference = randomUUID();
    await service.webhook(chargeBody(wallet.id, { reference, amount: 500, currency: 'USD' }));
    const { id } = await listed(reference);
    const refused = await ada.act('transfer.credit', id, { walletId: wallet.id });
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('USD')]);
    expect((await ada.act('transfer.return', id)).status).toBe(201);
    expect(await service.stats(wallet)).toMatchObject({ balance: 0 });
  });
});

describe('a payout that was sent back after success', () => {
  it('is refunded once by an operator, though two replicas are asked at once', async () => {
    const wallet = await service.fundedWallet(500_000);
    const reference = await bank.returned(wallet, FOUR_EYES_KOBO);
    const { body } = await ada.get<{ data: object[] }>('settlements?state=returned');
    expect(body.data).toContainEqual(expect.objectContaining({ reference, isRefunded: false }));
    const { id: caseId } = (await ada.caseOf(reference))!;
    const answers = await Promise.all([
      ada.act('payout.refund', reference),
      bisi.on(replica).act('payout.refund', reference),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(await entriesOf(reference)).toEqual([{ type: 'refund', amount: FOUR_EYES_KOBO, caseId }]);
    expect(await service.stats(wallet)).toMatchObject({ balance: 500_000, spentThisPeriod: 0 });
    expect(await ada.caseOf(reference)).toBeUndefined();
    const shown = await service.get(`/v1/wallets/${wallet.id}/transactions/${reference}`, {
      token: wallet.owner.token,
    });
    expect(shown.body).toMatchObject({
      data: {
        status: 'returned',
        settlement: { reversedAt: expect.any(String), refundedAt: expect.any(String) },
      },
    });
  });

  it('of more than one operator may decide is proposed, and confirmed once by another one', async () => {
    const wallet = await service.fundedWallet(500_000);
    const reference = await bank.returned(wallet, FOUR_EYES_KOBO + 1);
    const proposed = await ada.act('payout.refund', reference);
    expect(proposed.body.data).toMatchObject({ act: null, proposal: { proposedBy: ada.id } });
    const { id } = proposed.body.data.proposal!;
    expect((await bisi.act('payout.refund', reference)).status).toBe(409);
    const own = await ada.post(`proposals/${id}/confirm`);
    expect([own.status, own.text]).toEqual([409, expect.stringContaining('another operator')]);
    expect(await entriesOf(reference)).toEqual([]);
    const confirms = await Promise.all([
      bisi.post(`proposals/${id}/confirm`),
      bisi.on(replica).post(`proposals/${id}/confirm`),
      ada.on(replica).post(`proposals/${id}/confirm`),
    ]);
    expect(confirms.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1);
    expect(await entriesOf(reference)).toHaveLength(1);
    const { body } = await ada.get<{ data: object[] }>(`acts?subject=${reference}`);
    expect(body.data).toMatchObject([
      { act: 'payout.refund', operatorId: ada.id, confirmedBy: bisi.id, amount: FOUR_EYES_KOBO + 1 },
    ]);
  });

  it('is no longer confirmed once its proposal expired or was rejected', async () => {
    const wallet = await service.fundedWallet(900_000);
    const reference = await bank.returned(wallet, FOUR_EYES_KOBO + 1);
    const first = (await ada.act('payout.refund', reference)).body.data.proposal!;
    await service.query('UPDATE operator_proposals SET expires_at = now() WHERE id = $1', [first.id]);
    expect((await bisi.post(`proposals/${first.id}/confirm`)).status).toBe(404);
    const second = (await bisi.act('payout.refund', reference)).body.data.proposal!;
    expect((await ada.post(`proposals/${second.id}/reject`)).status).toBe(200);
    expect((await ada.post(`proposals/${second.id}/confirm`)).status).toBe(404);
    expect(await entriesOf(reference)).toEqual([]);
  });

  it('is not confirmed for who is no operator any more, or suspended', async () => {
    const grants = service.app.get(OperatorGrants, { strict: false });
    const ends = {
      revoked: async ({ user }: Operator) => grants.set(user.email, false, 'left'),
      suspended: async ({ id }: Operator) => (await ada.act('user.suspend', id)).status,
    };
    for (const end of Object.values(ends)) {
      const wallet = await service.fundedWallet(900_000);
      const reference = await bank.returned(wallet, FOUR_EYES_KOBO + 1);
      const former = await Operator.make(service);
      const { id } = (await former.act('payout.refund', reference)).body.data.proposal!;
      await end(former);
      const answers = await Promise.all(
        [bisi, bisi.on(replica)].map((by) => by.post(`proposals/${id}/confirm`)),
      );
      expect(answers.map(({ status }) => status)).toEqual([409, 409]);
      expect(await entriesOf(reference)).toEqual([]);
      expect((await bisi.post(`proposals/${id}/reject`)).status).toBe(200);
      const anew = (await bisi.act('payout.refund', reference)).body.data.proposal!;
      expect((await ada.post(`proposals/${anew.id}/confirm`)).status).toBe(200);
      expect(await entriesOf(reference)).toHaveLength(1);
    }
  });

  it.each(['payment', 'withdrawal'] as const)(
    'is shown and refunded once though it is archived: a %s',
    async (kind) => {
      const wallet = await service.fundedWallet(500_000);
      const reference =
        kind === 'payment'
          ? await bank.paid(wallet, FOUR_EYES_KOBO)
          : await withdraw(service, wallet, FOUR_EYES_KOBO, SENT_BACK);
      await bank.ends(reference, 'succeeded');
      const query = (text: string, values?: readonly unknown[]) => service.query(text, values as unknown[]);
      await archiveBatch(new Date(Date.now() + DAY_MS), null, { query } as Queryable);
      expect(await service.query('SELECT FROM settlements WHERE reference = $1', [reference])).toEqual([]);
      await bank.takeBack(reference);
      await bank.poll(reference);
      const shown = { reference, status: 'reversed', isRefunded: false };
      for (const path of ['settlements?state=returned&pageSize=100', `settlements?reference=${reference}`]) {
        const { body } = await ada.get<{ data: object[] }>(path);
        expect(body.data).toContainEqual(expect.objectContaining(shown));
      }
      const { id: caseId } = (await ada.caseOf(reference))!;
      expect((await ada.get(`cases/${caseId}`)).body).toMatchObject({ data: { payout: shown } });
      const answers = await Promise.all([
        ada.act('payout.refund', reference),
        bisi.on(replica).act('payout.refund', reference),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
      expect(await entriesOf(reference)).toEqual([{ type: 'refund', amount: FOUR_EYES_KOBO, caseId }]);
      expect(await service.stats(wallet)).toMatchObject({ balance: 500_000, spentThisPeriod: 0 });
      expect(await ada.caseOf(reference)).toBeUndefined();
      const { body } = await ada.get<{ data: object[] }>(`settlements?reference=${reference}`);
      expect(body.data).toMatchObject([{ reference, status: 'reversed', isRefunded: true }]);
    },
  );

  it('is refused as long as the bank has not sent it back', async () => {
    const wallet = await service.fundedWallet(500_000);
    const reference = await bank.paid(wallet);
    expect((await ada.act('payout.refund', reference)).status).toBe(409);
    expect(await entriesOf(reference)).toEqual([]);
  });
});

describe('a payout that stays open', () => {
  const PENDING = '9000000003';

  async function open(kind: 'payment' | 'withdrawal' = 'payment') {
    const wallet = await service.fundedWallet(500_000);
    const reference =
      kind === 'payment'
        ? (await service.pay(wallet.key, { amount: 50_000, recipientAccountNo: PENDING })).body.data
            .settlement.reference
        : await withdraw(service, wallet, 50_000, PENDING);
    await bank.ends(reference, 'processing');
    return { wallet, reference };
  }
  const submittedAgo = (reference: string, minutes: number) =>
    service.query(
      `UPDATE settlements SET submitted_at = now() - $2 * interval '1 minute' WHERE reference = $1`,
      [reference, minutes],
    );

  it.each([
    ['paid', 'succeeded', 450_000],
    ['failed', 'failed', 500_000],
  ])('ends as the bank told an operator: %s', async (outcome, status, balance) => {
    const { wallet, reference } = await open();
    await submittedAgo(reference, 9);
    const early = await ada.act('payout.outcome', reference, { outcome });
    expect([early.status, early.text]).toEqual([409, expect.stringContaining('ten minutes')]);
    await submittedAgo(reference, 11);
    expect((await ada.act('payout.outcome', reference, { outcome })).status).toBe(201);
    await bank.ends(reference, status);
    expect(await service.stats(wallet)).toMatchObject({ balance });
    expect((await ada.act('payout.outcome', reference, { outcome })).status).toBe(409);
  });

  it('ends once, though two operators say otherwise at once', async () => {
    const { wallet, reference } = await open('withdrawal');
    await submittedAgo(reference, 11);
    const answers = await Promise.all([
      ada.act('payout.outcome', reference, { outcome: 'failed' }),
      bisi.on(replica).act('payout.outcome', reference, { outcome: 'paid' }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    const refunds = await entriesOf(reference);
    expect(await service.stats(wallet)).toMatchObject({ balance: 450_000 + refunds.length * 50_000 });
  });
});

describe('a suspension by an operator', () => {
  it('of a user ends the sessions, refuses sign-in and stops the wallets, until it is lifted', async () => {
    const wallet = await service.fundedWallet(500_000);
    const { email, token, id } = wallet.owner;
    expect((await ada.act('user.suspend', id)).status).toBe(201);
    expect((await service.get(`/v1/wallets/${wallet.id}/stats`, { token })).status).toBe(401);
    const login = () =>
      service.post<{ data: { token: string } }>('/v1/auth/login', { body: { email, password: PASSWORD } });
    expect(await login()).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect((await service.pay(wallet.key)).body).toMatchObject({ code: 'WALLET_INACTIVE' });
    expect((await ada.act('user.resume', id)).status).toBe(201);
    const again = (await login()).body.data.token;
    expect((await service.pay(wallet.key)).body).toMatchObject({ code: 'WALLET_INACTIVE' });
    expect((await service.post(`/api/wallets/${wallet.id}/resume`, { token: again })).status).toBe(200);
    expect((await service.pay(wallet.key)).status).toBe(201);
  });

  it('of a wallet stays when its owner, suspended too, is let in again, until the wallet is released', async () => {
    const wallet = await service.fundedWallet(500_000);
    const other = await service.createWallet(wallet.owner);
    const { email, id } = wallet.owner;
    for (const [act, subject] of [
      ['wallet.suspend', wallet.id.toUpperCase()],
      ['user.suspend', id],
      ['user.resume', id],
    ] as const)
      expect((await ada.act(act, subject)).status).toBe(201);
    const body = { email, password: PASSWORD };
    const { token } = (await service.post<{ data: { token: string } }>('/v1/auth/login', { body })).body.data;
    const resume = async (walletId: string) =>
      (await service.post(`/api/wallets/${walletId}/resume`, { token })).status;
    expect([await resume(other.id), await resume(wallet.id)]).toEqual([200, 403]);
    expect((await ada.act('wallet.resume', wallet.id)).status).toBe(201);
    expect((await ada.act('user.suspend', id)).status).toBe(201);
    expect((await ada.act('user.resume', id)).status).toBe(201);
    const { body: found } = await ada.get<{
      data: { wallets: { id: string; suspendedByOperator: boolean }[] };
    }>(`find?text=${wallet.id}`);
    expect(found.data.wallets.map(({ suspendedByOperator }) => suspendedByOperator)).toEqual([false]);
  });

  it.each(['wallet', 'owner'] as const)('holds what a closed wallet got later: of the %s', async (held) => {
    const wallet = await service.createWallet();
    const { email, token, id } = wallet.owner;
    expect((await service.post(`/api/wallets/${wallet.id}/close`, { token })).status).toBe(200);
    await service.topUp(wallet.id, 1_000);
    const [suspend, resume, subject] =
      held === 'wallet'
        ? (['wallet.suspend', 'wallet.resume', wallet.id] as const)
        : (['user.suspend', 'user.resume', id] as const);
    const takeOut = async () => {
      const body = { email, password: PASSWORD };
      const login = await service.post<{ data: { token: string } }>('/v1/auth/login', { body });
      return service.post(`/api/wallets/${wallet.id}/withdrawals`, {
        token: login.body.data.token,
        headers: { 'idempotency-key': randomUUID() },
        body: { amount: 1_000, accountNumber: '0123456789', bankCode: '058' },
      });
    };
    expect((await ada.act(suspend, subject)).status).toBe(201);
    const state = async () => {
      const { body } = await ada.get<{ data: { wallets: object[] } }>(`find?text=${wallet.id}`);
      return body.data.wallets[0];
    };
    // Who is suspended gets no session: another owner of the business would.
    if (held === 'wallet') expect((await takeOut()).status).toBe(403);
    expect(await state()).toMatchObject({ status: 'CLOSED', suspendedByOperator: true });
    expect((await ada.act(resume, subject)).status).toBe(201);
    expect(await state()).toMatchObject({ status: 'CLOSED', suspendedByOperator: false });
    expect((await takeOut()).status).toBe(201);
  });

  it('of a wallet is not lifted by its owner, who can take no money out either', async () => {
    const wallet = await service.fundedWallet(500_000);
    const { token } = wallet.owner;
    expect((await ada.act('wallet.suspend', wallet.id)).status).toBe(201);
    expect((await service.post(`/api/wallets/${wallet.id}/resume`, { token })).status).toBe(403);
    const taken = await service.post(`/api/wallets/${wallet.id}/withdrawals`, {
      token,
      headers: { 'idempotency-key': randomUUID() },
      body: { amount: 1_000, accountNumber: '0123456789', bankCode: '058' },
    });
    expect(taken.status).toBe(403);
    expect(await service.stats(wallet)).toMatchObject({ balance: 500_000 });
    const refused = await ada.act('user.suspend', ada.id);
    expect(refused.status).toBe(409);
  });
});

describe('what operators look up', () => {
  it.each(['cases', 'transfers', 'settlements', 'jobs', 'endpoints', 'acts', 'proposals', 'find'])(
    'refuses a parameter of %s that it does not have by its name',
    async (path) => {
      const { status, body } = await ada.get<{ error: { errors: object[] } }>(`${path}?Status=paid&text=x`);
      expect(status).toBe(400);
      expect(body.error.errors).toContainEqual(expect.objectContaining({ field: 'Status' }));
    },
  );

  it('finds users and wallets by id, e-mail, account number and reference', async () => {
    const wallet = await service.createWallet();
    const reference = await service.topUp(wallet.id, 1_000);
    const paid = (await service.pay(wallet.key, { amount: 500 })).body.data.settlement.reference;
    for (const text of [
      wallet.id,
      wallet.owner.id,
      wallet.owner.email.toUpperCase(),
      wallet.virtualAccount.accountNumber,
      reference,
      paid,
    ]) {
      const { body } = await ada.get(`find?text=${encodeURIComponent(text)}`);
      expect(body).toMatchObject({
        data: { users: [{ id: wallet.owner.id }], wallets: [{ id: wallet.id }] },
      });
    }
    expect((await ada.get(`find?text=${randomUUID()}`)).body).toMatchObject({
      data: { users: [], wallets: [] },
    });
    expect((await ada.get('find')).status).toBe(400);
  });

  it('retries and drops failed jobs', async () => {
    const failed = async (): Promise<string> => {
      const [job] = await service.query<{ id: string }>(
        `SELECT id FROM graphile_worker.add_job('no.such.job', '{}', max_attempts => 1, run_at => now() + interval '1 day')`,
      );
      await service.query(`SELECT graphile_worker.permanently_fail_jobs(ARRAY[$1::bigint], 'a fault')`, [
        job!.id,
      ]);
      return job!.id;
    };
    const [first, second] = [await failed(), await failed()];
    const { body } = await ada.get<{ data: { id: string }[] }>('jobs?pageSize=100');
    expect(body.data).toContainEqual(
      expect.objectContaining({ id: first, task: 'no.such.job', lastError: 'a fault', isGivenUp: true }),
    );
    expect((await ada.act('job.drop', first)).status).toBe(201);
    expect((await ada.act('job.drop', first)).status).toBe(404);
    expect((await ada.act('job.retry', second)).status).toBe(201);
    const [left] = await service.query<{ attempts: number }>(
      'SELECT attempts FROM graphile_worker.jobs WHERE id = $1',
      [second],
    );
    expect(left).toMatchObject({ attempts: 0 });
  });

  it('closes a case by hand with the reason, on record', async () => {
    const { reference } = await unmatched();
    const { id } = (await ada.caseOf(reference))!;
    expect((await ada.act('case.close', id)).status).toBe(201);
    expect((await ada.act('case.close', id)).status).toBe(404);
    const { body } = await ada.get('cases?state=closed');
    expect(body).toMatchObject({ data: expect.arrayContaining([expect.objectContaining({ id })]) });
  });
});
