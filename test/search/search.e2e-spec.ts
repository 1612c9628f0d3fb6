import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MailServer } from '../support/mail-server.js';
import { businessOwner, mailingTo, newMember } from '../support/members.js';
import {
  type CreatedWallet,
  expectStatus,
  startService,
  type TestService,
  type TestUser,
} from '../support/service.js';

interface Found {
  readonly wallets: readonly { readonly id: string; readonly name: string }[];
  readonly payments: readonly { readonly id: string; readonly walletName: string; readonly status: string }[];
  readonly keys: readonly {
    readonly id: string;
    readonly name: string | null;
    readonly walletName: string;
  }[];
  readonly payees: readonly { readonly merchantName: string; readonly accountNumber: string }[];
  readonly members: readonly { readonly email: string; readonly role: string }[];
}

const BANK = { recipientAccountNo: '0690000031', recipientBankCode: '044' };

let service: TestService;
let mails: MailServer;
let owner: TestUser;
let wallet: CreatedWallet;
let key: { readonly id: string; readonly prefix: string };
let paid: string;
let blocked: string;

beforeAll(async () => {
  mails = await MailServer.start();
  service = await startService({ env: mailingTo(mails) });
  owner = await businessOwner(service);
  wallet = await service.createWallet(owner, {
    name: 'Cloud Hosting',
    spendLimitPerTx: 80_000_000,
    spendLimitPeriod: 80_000_000,
  });
  await service.topUp(wallet.id, 90_000_000);
  const change = { token: owner.token, body: { payeePolicy: 'first_use' } };
  expectStatus(200, await service.call('PATCH', `/api/wallets/${wallet.id}`, change));
  const made = await service.post<{
    data: { apiKey: { id: string; keyPrefix: string; fullKey: string } };
  }>(`/api/wallets/${wallet.id}/keys`, {
    token: owner.token,
    body: { name: 'Invoice robot', purpose: 'Server bills' },
  });
  const { id, keyPrefix: prefix, fullKey } = expectStatus(201, made).body.data.apiKey;
  key = { id, prefix };
  paid = expectStatus(
    201,
    await service.pay(fullKey, { ...BANK, amount: 735_000, merchantName: 'Hetzner', runId: 'Nightly-42' }),
  ).body.data.transaction.id;
  const refused = await service.pay(wallet.key, { ...BANK, amount: 90_000_001, merchantName: 'Jumia' });
  blocked = refused.body.transactionId;
});
afterAll(async () => {
  await service.close();
  await mails.stop();
});

const answerTo = (query: string, token = owner.token) =>
  service.get<{ data: Found; error?: { code: string } }>(`/v1/search?${query}`, { token });

async function find(q: string, token = owner.token): Promise<Found> {
  return expectStatus(200, await answerTo(new URLSearchParams({ q }).toString(), token)).body.data;
}

const idsIn = async (q: string) => (await find(q)).payments.map(({ id }) => id);

describe('one search', () => {
  it.each(['hetz', 'HETZNER', '7350', '7,350.00', '₦7,350', '0690000031', 'Nightly-42', 'server bills'])(
    'finds the payment by %s',
    async (words) => {
      expect(await idsIn(words)).toContain(paid);
    },
  );

  it('finds a payment by its id, its key’s name, and names its wallet and status', async () => {
    expect((await find(paid)).payments).toMatchObject([
      { id: paid, walletName: 'Cloud Hosting', status: expect.stringMatching(/^(processing|paid)$/) },
    ]);
    expect(await idsIn('invoice robot')).toEqual([paid]);
    expect((await find(blocked)).payments).toMatchObject([{ status: 'blocked' }]);
  });

  it('finds no payment by a neighbour of its amount, or by part of a run or of an account', async () => {
    for (const words of ['7349.99', '7350.01', '735000', '73', 'nightly-42', 'Nightly-4', '069000003']) {
      expect([words, await idsIn(words)]).toEqual([words, []]);
    }
  });

  it('finds wallets, keys, payees and members by part of a name', async () => {
    const member = await newMember(service, mails, owner, 'viewer');
    const byName = await find('cloud');
    expect(byName.wallets).toMatchObject([{ id: wallet.id, name: 'Cloud Hosting' }]);
    expect((await find('ROBOT')).keys).toMatchObject([{ id: key.id, walletName: 'Cloud Hosting' }]);
    expect((await find(key.prefix)).keys.map(({ id }) => id)).toContain(key.id);
    expect((await find('hetz')).payees).toMatchObject([
      { merchantName: 'Hetzner', accountNumber: BANK.recipientAccountNo },
    ]);
    const { members } = await find(member.email.slice(0, 12).toUpperCase());
    expect(members).toMatchObject([{ email: member.email, role: 'viewer' }]);
    expect((await find('cloud', member.token)).wallets).toMatchObject([{ id: wallet.id }]);
  });

  it('finds nothing of another account', async () => {
    const stranger = await service.signUp();
    for (const words of ['hetz', 'cloud', 'robot', paid, wallet.id, owner.email]) {
      const found = await find(words, stranger.token);
      expect([words, Object.values(found).flat()]).toEqual([words, []]);
    }
  });

  it('is limited in each kind, and refuses what is no search', async () => {
    const { data } = expectStatus(200, await answerTo('q=a&limit=1')).body;
    for (const rows of Object.values(data) as unknown[][]) expect(rows.length).toBeLessThanOrEqual(1);
    expectStatus(200, await answerTo(`q=${'a'.repeat(200)}`));
    for (const query of ['', 'q=', 'q=%20', `q=${'a'.repeat(201)}`, 'q=a&kind=keys', 'q=a&limit=0']) {
      expect([query, (await answerTo(query)).status]).toEqual([query, 400]);
    }
    expectStatus(401, await answerTo('q=a', 'none'));
  });
});

describe('saved views', () => {
  interface Views {
    readonly data: { readonly views: readonly { readonly name: string; readonly query: string }[] };
  }
  const view = (name: unknown, query: unknown = 'status=blocked') => ({ name, query });
  const save = (body: object, { token }: TestUser) => service.post<Views>('/v1/saved-views', { token, body });
  const saved = async ({ token }: TestUser) =>
    expectStatus(200, await service.get<Views>('/v1/saved-views', { token })).body.data.views;

  it('are each user’s own, in the order in which they were first saved', async () => {
    const [one, other] = [await service.signUp(), await service.signUp()];
    expect(await saved(one)).toEqual([]);
    expectStatus(200, await save(view('Blocked'), one));
    expectStatus(200, await save(view('Jumia', 'search=Jumia&min=100'), one));
    const { body } = expectStatus(200, await save(view('Blocked', 'status=denied'), one));
    expect(body.data.views).toEqual([
      view('Blocked', 'status=denied'),
      view('Jumia', 'search=Jumia&min=100'),
    ]);
    expect(await saved(one)).toEqual(body.data.views);
    expect(await saved(other)).toEqual([]);
    for (let i = 0; i < 2; i += 1) {
      const removed = { token: one.token, body: { name: 'Blocked' } };
      expectStatus(200, await service.post('/v1/saved-views/remove', removed));
      expect(await saved(one)).toEqual([view('Jumia', 'search=Jumia&min=100')]);
    }
  });

  it('are at most twenty, also of those that are saved at the same time', async () => {
    const one = await service.signUp();
    const answers = await Promise.all(Array.from({ length: 21 }, (_, i) => save(view(`View ${i}`), one)));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array<number>(20).fill(200), 400]);
    expect(await saved(one)).toHaveLength(20);
    const name = (await saved(one))[0]?.name;
    expectStatus(200, await save(view(name, 'min=1'), one));
  });

  it('have texts that are not too long', async () => {
    const one = await service.signUp();
    expectStatus(200, await save(view('x'.repeat(50), 'y'.repeat(2_000)), one));
    for (const refused of [
      view('x'.repeat(51)),
      view(''),
      view('Long', 'y'.repeat(2_001)),
      view('None', null),
      {},
    ])
      expect([refused, (await save(refused, one)).status]).toEqual([refused, 400]);
    expect(await saved(one)).toHaveLength(1);
  });
});
