import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { brokenInvariants } from '../support/invariants.js';
import { Operator } from '../support/operators.js';
import { SentBack } from '../support/sent-back.js';
import { chargeBody, PASSWORD, startService, type TestService } from '../support/service.js';

/** A case with what belongs to it; and what owners are told of operators, whom they do not know by name. */

const FOUR_EYES_KOBO = 90_000;

let service: TestService;
let bank: SentBack;
let ada: Operator;
let bisi: Operator;
beforeAll(async () => {
  service = await startService({ env: { OPERATOR_FOUR_EYES_KOBO: String(FOUR_EYES_KOBO) } });
  bank = new SentBack(service);
  ada = await Operator.make(service);
  bisi = await Operator.make(service);
  for (const each of [ada, bisi]) await each.post(`proposals/${randomUUID()}/reject`);
});
afterEach(async () => {
  expect(await brokenInvariants(service)).toEqual({});
});
afterAll(() => service.close());

const pageOf = (caseId: string) => ada.get<{ data: object }>(`cases/${caseId}`);

describe('the page of a case', () => {
  it('has the transfer that matches no wallet, who takes care of it, and what was noted', async () => {
    const reference = randomUUID();
    await service.webhook(chargeBody(randomUUID(), { reference, amount: 500 }));
    const { id } = (await ada.caseOf(reference))!;
    await bisi.post(`cases/${id}/assign`);
    expect((await ada.act('case.note', id, { reason: 'asked the bank' })).status).toBe(201);
    const { body } = await pageOf(id);
    expect(body.data).toMatchObject({
      case: { id, kind: 'transfer-unmatched', owner: bisi.user.email, closedAt: null },
      transfers: [{ reference, status: 'unmatched', amount: 50_000 }],
      payout: null,
      wallet: null,
      users: [],
      proposals: [],
      acts: [{ act: 'case.note', reason: 'asked the bank', operator: ada.user.email, confirmer: null }],
    });
    const list = await ada.get<{ data: object[] }>('cases?pageSize=100');
    expect(list.body.data).toContainEqual(expect.objectContaining({ id, owner: bisi.user.email }));
  });

  it('has the payout, its wallet with its owner, what waits for a second operator, and then who decided', async () => {
    const wallet = await service.fundedWallet(500_000);
    const reference = await bank.returned(wallet, FOUR_EYES_KOBO + 1);
    const { id } = (await ada.caseOf(reference))!;
    const proposal = (await ada.act('payout.refund', reference)).body.data.proposal!;
    expect((await pageOf(id)).body.data).toMatchObject({
      transfers: [],
      payout: { reference, status: 'reversed', isRefunded: false, amount: FOUR_EYES_KOBO + 1 },
      wallet: { id: wallet.id, balance: 500_000 - FOUR_EYES_KOBO - 1 },
      users: [{ id: wallet.owner.id, email: wallet.owner.email }],
      proposals: [{ id: proposal.id, act: 'payout.refund', proposer: ada.user.email }],
      acts: [],
    });
    expect((await bisi.post(`proposals/${proposal.id}/confirm`)).status).toBe(200);
    expect((await pageOf(id)).body.data).toMatchObject({
      case: { closedAt: expect.any(String) },
      payout: { isRefunded: true },
      wallet: { balance: 500_000 },
      proposals: [],
      acts: [{ act: 'payout.refund', operator: ada.user.email, confirmer: bisi.user.email }],
    });
  });

  it('is not found where there is no such case', async () => {
    for (const id of [randomUUID(), 'none']) expect((await pageOf(id)).status).toBe(404);
    expect((await ada.act('case.note', randomUUID())).status).toBe(404);
  });
});

describe('what an operator did', () => {
  const activityOf = async (token: string) => {
    const { body } = await service.get<{ data: object[] }>('/v1/activity?pageSize=100', { token });
    return body.data.filter((line) => (line as { actor: string | null }).actor === 'operator');
  };
  const signedInAgain = async (email: string) =>
    (
      await service.post<{ data: { token: string } }>('/v1/auth/login', {
        body: { email, password: PASSWORD },
      })
    ).body.data.token;
  const line = (act: string, subject: string, after?: object) =>
    expect.objectContaining({
      act,
      subject,
      actor: 'operator',
      userId: null,
      address: null,
      ...(after && { after }),
    });

  it('to a user or wallet is in the log of its owner, by "operator" without e-mail, id or address', async () => {
    const wallet = await service.fundedWallet(500_000);
    const { id, email, token } = wallet.owner;
    // A wallet that is suspended already is marked, which is a line as well.
    await service.post(`/api/wallets/${wallet.id}/suspend`, { token });
    await ada.act('wallet.suspend', wallet.id);
    await ada.act('wallet.suspend', wallet.id);
    await bisi.act('wallet.resume', wallet.id);
    expect(await activityOf(token)).toEqual([
      line('wallet.released', wallet.id),
      line('wallet.suspended', wallet.id),
    ]);
    await ada.act('user.suspend', id);
    await ada.act('user.resume', id);
    const lines = await activityOf(await signedInAgain(email));
    expect(lines.slice(0, 4)).toEqual([
      line('user.resumed', id),
      line('wallet.released', wallet.id),
      line('user.suspended', id),
      line('wallet.suspended', wallet.id),
    ]);
    expect(JSON.stringify(lines)).not.toContain(ada.id);
    const { body } = await ada.get<{ data: object[] }>(`acts?subject=${id}`);
    expect(body.data).toMatchObject([
      { act: 'user.resume', operator: ada.user.email },
      { act: 'user.suspend', operator: ada.user.email },
    ]);
  });

  it('with money is in the log of its owner', async () => {
    const wallet = await service.fundedWallet(500_000);
    const reference = await bank.returned(wallet, FOUR_EYES_KOBO);
    await ada.act('payout.refund', reference);
    const transfer = randomUUID();
    await service.webhook(chargeBody(randomUUID(), { reference: transfer, amount: 500 }));
    const { body } = await ada.get<{ data: { id: string; reference: string }[] }>('transfers?pageSize=100');
    const { id } = body.data.find((each) => each.reference === transfer)!;
    await ada.act('transfer.credit', id, { walletId: wallet.id });
    expect(await activityOf(wallet.owner.token)).toEqual([
      line('transfer.credited', transfer, { walletId: wallet.id, amount: 50_000 }),
      line('payout.refunded', reference, { walletId: wallet.id, amount: FOUR_EYES_KOBO }),
    ]);
  });
});

it('a session says that its user is an operator, and says nothing of it to others', async () => {
  const user = await service.signUp();
  const who = async (token: string) => (await service.get('/v1/auth/session', { token })).text;
  expect(await who(ada.user.token)).toContain('"isOperator":true');
  expect(await who(user.token)).not.toContain('isOperator');
});
