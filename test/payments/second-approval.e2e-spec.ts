import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { askAbove, payPending, type ApprovalBody } from '../support/approvals.js';
import { brokenInvariants } from '../support/invariants.js';
import { MailServer } from '../support/mail-server.js';
import { businessOwner, mailingTo, newMember } from '../support/members.js';
import { Operator } from '../support/operators.js';
import {
  type CreatedWallet,
  expectStatus,
  startService,
  type TestService,
  type TestUser,
} from '../support/service.js';

let mails: MailServer;
let service: TestService;
let second: TestService;
let owner: TestUser;
let ben: TestUser;
let cem: TestUser;
let dan: TestUser;
let eve: TestUser;
let wallet: CreatedWallet;
beforeAll(async () => {
  mails = await MailServer.start();
  service = await startService({ env: mailingTo(mails) });
  second = await startService({ env: mailingTo(mails), beside: service });
  owner = await businessOwner(service);
  ben = await newMember(service, mails, owner, 'approver');
  cem = await newMember(service, mails, owner, 'approver');
  dan = await newMember(service, mails, owner, 'owner');
  eve = await newMember(service, mails, owner, 'approver');
  wallet = await service.createWallet(owner);
  await service.topUp(wallet.id, 1_000_000);
  await askAbove(service, wallet, 10, { secondApprovalAbove: 1_000 });
});
afterAll(async () => {
  await service.settled();
  expect(await brokenInvariants(service)).toEqual({});
  await second.close();
  await service.close();
  await mails.stop();
});

const approve = async (user: TestUser, id: string, to = service) => {
  const { body } = expectStatus(
    200,
    await to.post<ApprovalBody>(`/v1/approvals/${id}/approve`, { token: user.token }),
  );
  const { status, decidedBy, approvedBy } = body.data.approval as typeof body.data.approval & {
    approvedBy?: string[];
  };
  return { status, decidedBy, approvedBy };
};
const FIRST = (user: TestUser) => ({ status: 'pending', decidedBy: null, approvedBy: [user.id] });
const balance = async () => (await service.stats(wallet)).balance;

it('takes one member up to the amount, and two different ones above it', async () => {
  const small = await payPending(service, wallet, { amount: 1_000 });
  expect(await approve(ben, small.id)).toEqual({ status: 'approved', decidedBy: ben.id });
  const before = await balance();
  const large = await payPending(service, wallet, { amount: 1_001, merchantName: 'Konga' });
  expect(await approve(ben, large.id)).toEqual(FIRST(ben));
  expect(await approve(ben, large.id)).toEqual(FIRST(ben));
  expect(await balance()).toBe(before);
  expect(await approve(dan, large.id)).toEqual({ status: 'approved', decidedBy: dan.id });
  expect(await balance()).toBe(before - 1_001);
});

it('counts the same member once, however often at once on two replicas', async () => {
  for (let i = 0; i < 5; i += 1) {
    const before = await balance();
    const { id } = await payPending(service, wallet, { amount: 2_000 + i, merchantName: `Shop ${i}` });
    const answers = await Promise.all(
      [service, second, service, second].map((replica) => approve(ben, id, replica)),
    );
    expect(answers).toEqual(answers.map(() => FIRST(ben)));
    const said = `SELECT FROM account_activity WHERE act = 'payment.first-approved' AND subject = $1`;
    expect(await service.query(said, [id])).toHaveLength(1);
    expect(await balance()).toBe(before);
    const both = await Promise.all([approve(dan, id, second), approve(cem, id, service)]);
    expect(both.map(({ status }) => status)).toEqual(['approved', 'approved']);
    expect(await balance()).toBe(before - 2_000 - i);
  }
});

it('is denied by one, and an approval of who may approve no more does not count', async () => {
  const denied = await payPending(service, wallet, { amount: 3_000, merchantName: 'Denied' });
  expect(await approve(ben, denied.id)).toEqual(FIRST(ben));
  expectStatus(200, await service.post(`/v1/approvals/${denied.id}/deny`, { token: cem.token }));
  const { id } = await payPending(service, wallet, { amount: 4_000, merchantName: 'Demoted' });
  expect((await approve(cem, id)).status).toBe('pending');
  const path = `/v1/members/${cem.id}`;
  expectStatus(200, await service.call('PATCH', path, { token: owner.token, body: { role: 'viewer' } }));
  expect((await approve(ben, id)).status).toBe('pending');
  expect((await approve(dan, id)).status).toBe('approved');
});

it('does not count the approval of a member whose login an operator suspended', async () => {
  const fay = await newMember(service, mails, owner, 'approver');
  const { id } = await payPending(service, wallet, { amount: 4_500, merchantName: 'Stolen login' });
  expect(await approve(fay, id)).toEqual(FIRST(fay));
  const operator = await Operator.make(service);
  expectStatus(201, await operator.act('user.suspend', fay.id));
  expect((await approve(ben, id)).status).toBe('pending');
  expectStatus(201, await operator.act('user.resume', fay.id));
  // Both count again, and a repeated approval finds so.
  expect((await approve(ben, id, second)).status).toBe('approved');
});

const refused = async (user: TestUser, id: string, to = service) => {
  const { status, body } = await to.post<ApprovalBody>(`/v1/approvals/${id}/approve`, { token: user.token });
  return [status, body.error.code];
};
const NOT_BY_REQUESTER = [403, 'REQUESTER_CANNOT_APPROVE'];

it('never counts who made the key that asked, however often at once on two replicas', async () => {
  const small = await payPending(service, wallet, { amount: 900, merchantName: 'Below' });
  expect((await approve(owner, small.id)).status).toBe('approved');
  const token = dan.token;
  const made = await service.post<{ data: { apiKey: { fullKey: string } } }>(
    `/api/wallets/${wallet.id}/keys`,
    {
      token,
      body: { name: "Dan's agent" },
    },
  );
  const ofDan = { ...wallet, key: expectStatus(201, made).body.data.apiKey.fullKey };
  for (const [asking, maker] of [
    [wallet, owner],
    [ofDan, dan],
  ] as const) {
    const before = await balance();
    const { id } = await payPending(service, asking, { amount: 5_000, merchantName: `By ${maker.email}` });
    const read = await service.get<ApprovalBody>(`/v1/approvals/${id}`, { token });
    expect(read.body.data.approval).toMatchObject({ takesTwo: true, notBy: maker.id });
    const first = await Promise.all([
      refused(maker, id),
      refused(maker, id, second),
      approve(ben, id, second).then(({ status }) => status),
      refused(maker, id, second),
    ]);
    expect(first).toEqual([NOT_BY_REQUESTER, NOT_BY_REQUESTER, 'pending', NOT_BY_REQUESTER]);
    expect(await balance()).toBe(before);
    expect(await approve(eve, id, second)).toEqual({ status: 'approved', decidedBy: eve.id });
    expect(await balance()).toBe(before - 5_000);
  }
});

it('holds a payment to the amount at its request, which who approves could raise otherwise', async () => {
  const { id } = await payPending(service, wallet, { amount: 6_000, merchantName: 'Before' });
  await askAbove(service, wallet, 10, { secondApprovalAbove: null });
  const later = await payPending(service, wallet, { amount: 6_000, merchantName: 'After' });
  expect(await refused(owner, id)).toEqual(NOT_BY_REQUESTER);
  expect((await approve(ben, id)).status).toBe('pending');
  expect((await approve(owner, later.id)).status).toBe('approved');
  await askAbove(service, wallet, 10, { secondApprovalAbove: 1_000 });
  expect((await approve(eve, id)).status).toBe('approved');
});

describe('of a key', () => {
  const make = (of: CreatedWallet, by: TestUser, secondApprovalAbove: unknown) =>
    service.post<{ data: { apiKey: { id: string; fullKey: string; secondApprovalAbove?: number } } }>(
      `/api/wallets/${of.id}/keys`,
      { token: by.token, body: { name: 'Agent', secondApprovalAbove } },
    );
  const paysBy = async (of: CreatedWallet, secondApprovalAbove: number | null) => {
    const { fullKey, ...made } = expectStatus(201, await make(of, dan, secondApprovalAbove)).body.data.apiKey;
    expect(made.secondApprovalAbove).toBe(secondApprovalAbove ?? undefined);
    return { ...of, key: fullKey };
  };
  /** How a payment goes that one member approves. */
  const afterOne = async (asking: CreatedWallet, amount: number) => {
    const { id } = await payPending(service, asking, { amount, merchantName: `Of ${amount}` });
    const { body } = await service.get<{ data: { approval: { secondApprovalAbove?: number } } }>(
      `/v1/approvals/${id}`,
      { token: ben.token },
    );
    const { status } = await approve(ben, id);
    return { id, status, above: body.data.approval.secondApprovalAbove };
  };

  it('holds its payments to the lower amount of key and wallet, and nobody who made it approves', async () => {
    const other = await service.createWallet(owner);
    await service.topUp(other.id, 1_000_000);
    await askAbove(service, other, 10, { secondApprovalAbove: 2_000 });
    const [lower, higher, none] = [
      await paysBy(other, 500),
      await paysBy(other, 3_000),
      await paysBy(other, null),
    ];
    expect(await afterOne(lower, 500)).toMatchObject({ status: 'approved', above: undefined });
    const two = await afterOne(lower, 501);
    expect(two).toMatchObject({ status: 'pending', above: 500 });
    expect(await refused(dan, two.id)).toEqual(NOT_BY_REQUESTER);
    expect((await approve(eve, two.id, second)).status).toBe('approved');
    for (const asking of [higher, none]) {
      expect(await afterOne(asking, asking === none ? 1_999 : 2_000)).toMatchObject({ status: 'approved' });
      expect(await afterOne(asking, asking === none ? 2_002 : 2_001)).toMatchObject({
        status: 'pending',
        above: 2_000,
      });
    }
    await askAbove(service, other, 10, { secondApprovalAbove: null });
    expect(await afterOne(lower, 502)).toMatchObject({ status: 'pending', above: 500 });
    expect(await afterOne(higher, 3_000)).toMatchObject({ status: 'approved' });
    expect(await afterOne(higher, 3_001)).toMatchObject({ status: 'pending', above: 3_000 });
    expect(await afterOne(none, 3_002)).toMatchObject({ status: 'approved' });
    // A second member who was asked for at the request stays so.
    await askAbove(service, other, 10, { secondApprovalAbove: 400 });
    expect(await afterOne(lower, 401)).toMatchObject({ status: 'pending', above: 400 });
  });

  it('takes whole kobo from 1, is listed, and is on record', async () => {
    for (const wrong of [0, -1, 1.5, '1', Number.MAX_SAFE_INTEGER + 1])
      expect([wrong, (await make(wallet, owner, wrong)).status]).toEqual([wrong, 400]);
    for (const right of [1, Number.MAX_SAFE_INTEGER])
      expect([right, (await make(wallet, owner, right)).status]).toEqual([right, 201]);
    const { body } = await service.get<{ data: { secondApprovalAbove?: number }[] }>(
      `/api/wallets/${wallet.id}/keys`,
      owner,
    );
    expect(body.data.slice(0, 2).map((key) => key.secondApprovalAbove)).toEqual([Number.MAX_SAFE_INTEGER, 1]);
    const log = await service.get<{ data: { after: object }[] }>('/v1/activity?act=key.created', owner);
    expect(log.body.data[0]?.after).toMatchObject({ secondApprovalAbove: Number.MAX_SAFE_INTEGER });
  });
});
