import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { askAbove, payPending, type ApprovalBody } from '../support/approvals.js';
import { brokenInvariants } from '../support/invariants.js';
import { MailServer } from '../support/mail-server.js';
import { businessOwner, mailingTo, newMember } from '../support/members.js';
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
let wallet: CreatedWallet;
beforeAll(async () => {
  mails = await MailServer.start();
  service = await startService({ env: mailingTo(mails) });
  second = await startService({ env: mailingTo(mails), beside: service });
  owner = await businessOwner(service);
  ben = await newMember(service, mails, owner, 'approver');
  cem = await newMember(service, mails, owner, 'approver');
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
  expect(await approve(owner, large.id)).toEqual({ status: 'approved', decidedBy: owner.id });
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
    const both = await Promise.all([approve(owner, id, second), approve(cem, id, service)]);
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
  expect((await approve(owner, id)).status).toBe('approved');
});
