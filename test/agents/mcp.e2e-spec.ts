import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BLOCK_REASONS } from '../../src/kernel/errors.js';
import { askAbove, payPending } from '../support/approvals.js';
import { connectCurrent, MCP_CLIENTS, type McpClient } from '../support/mcp-clients.js';
import { brokenInvariants } from '../support/invariants.js';
import {
  type CreatedWallet,
  expectStatus,
  paymentBody,
  startService,
  type TestService,
  UNKNOWN_KEY,
} from '../support/service.js';

const TOOLS = [
  'get_payment',
  'get_wallet',
  'list_banks',
  'list_payments',
  'make_payment',
  'quote_payment',
  'resolve_account',
];

let one: TestService;
let other: TestService;
let addresses: string[];
const open: McpClient[] = [];

beforeAll(async () => {
  one = await startService();
  other = await startService({ beside: one });
  addresses = await Promise.all(
    [one, other].map(async ({ app }) => {
      await app.listen(0, '127.0.0.1');
      return `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}/mcp`;
    }),
  );
});
afterAll(async () => {
  await Promise.all(open.map((client) => client.close()));
  await other.close();
  await one.close();
});

async function connected(key: string, how = connectCurrent, address = addresses[0]!): Promise<McpClient> {
  const client = await how(address, key);
  open.push(client);
  return client;
}

const purchase = (fields: Record<string, unknown> = {}) => ({
  purchaseId: randomUUID(),
  ...paymentBody(fields),
});

async function debits(wallet: CreatedWallet): Promise<number> {
  const { data } = await one.ledger(wallet, '?pageSize=100');
  return data.filter(({ type }) => type === 'debit').length;
}

describe.each(MCP_CLIENTS)('the official %s', (_, revision, how) => {
  it('lists every tool with both schemas and annotations', async () => {
    const wallet = await one.createWallet();
    const client = await connected(wallet.key, how);
    expect(client.revision).toBe(revision);
    expect(client.tools.map(({ name }) => name).sort()).toEqual(TOOLS);
    for (const tool of client.tools) {
      expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(tool.outputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(tool.description).toBeTruthy();
      const pays = tool.name === 'make_payment';
      expect(tool.annotations).toMatchObject({
        readOnlyHint: !pays,
        destructiveHint: pays,
        idempotentHint: true,
      });
    }
  });

  it('says of a wallet what can be spent, without what waits for its owner', async () => {
    const wallet = await one.fundedWallet(50_000);
    await askAbove(one, wallet, 1_000);
    await payPending(one, wallet, { amount: 2_000 });
    const client = await connected(wallet.key, how);
    expect((await client.call('get_wallet')).structuredContent.wallet).toMatchObject({
      balance: { kobo: 50_000 },
      available: { kobo: 48_000, naira: '₦480.00' },
    });
  });

  it('calls every tool and pays', async () => {
    const wallet = await one.fundedWallet(50_000);
    const client = await connected(wallet.key, how);
    const before = await client.call('get_wallet');
    expect(before.structuredContent.wallet).toMatchObject({
      id: wallet.id,
      available: { kobo: 50_000, naira: '₦500.00' },
    });
    const banks = await client.call('list_banks');
    expect(banks.structuredContent.banks).toContainEqual({
      code: '058',
      name: expect.any(String) as unknown,
    });
    const account = { accountNumber: '0123456789', bankCode: '058' };
    const resolved = await client.call('resolve_account', account);
    expect(resolved.structuredContent.account).toEqual({
      ...account,
      accountName: expect.any(String) as unknown,
    });
    const passes = await client.call('quote_payment', paymentBody({ amount: 20_000 }));
    expect(passes.structuredContent.quote).toMatchObject({
      decision: 'approved',
      balanceAfter: { kobo: 30_000, naira: '₦300.00' },
    });
    const paid = await client.call('make_payment', purchase({ amount: 20_000, reason: 'Bread' }));
    expect(paid.isError).toBeFalsy();
    expect(paid.structuredContent).toMatchObject({
      replayed: false,
      payment: { decision: 'approved', amount: { kobo: 20_000, naira: '₦200.00' }, reason: 'Bread' },
    });
    expect(paid.content[0]?.text).toMatch(/^₦200\.00 to "Acme Stores" was approved and is on its way /);
    const { id } = paid.structuredContent.payment;
    await one.settled();
    const seen = await client.call('get_payment', { paymentId: id });
    expect(seen.content[0]?.text).toBe('Paid ₦200.00 to "Acme Stores".');
    expect(seen.structuredContent.payment).toMatchObject({ id, settlement: { reference: id } });
    const listed = await client.call('list_payments', { pageSize: 5 });
    expect(listed.structuredContent).toMatchObject({ payments: [{ id }], totalCount: 1, totalPages: 1 });
    expect((await one.stats(wallet)).balance).toBe(30_000);
  });

  it('is told what would pass and what to do when a payment is blocked', async () => {
    const wallet = await one.fundedWallet(10_000);
    const client = await connected(wallet.key, how);
    const blocked = await client.call('make_payment', purchase({ amount: 10_001 }));
    expect(blocked.isError).toBe(true);
    expect(blocked.structuredContent).toMatchObject({
      error: {
        code: 'INSUFFICIENT_FUNDS',
        transactionId: expect.any(String) as unknown,
        hint: expect.any(String) as unknown,
        maxAmountNow: { kobo: 10_000, naira: '₦100.00' },
        next: expect.stringContaining('new purchaseId') as unknown,
      },
    });
    expect(blocked.content[0]?.text).toMatch(/^INSUFFICIENT_FUNDS: .*new purchaseId/);
    const unknown = await client.call('get_payment', { paymentId: randomUUID() });
    expect(unknown.structuredContent.error.code).toBe('TRANSACTION_NOT_FOUND');
    expect(await debits(wallet)).toBe(0);
  });

  it('is told that a payment was not made when the bank refused it, and by a repetition too', async () => {
    const wallet = await one.fundedWallet(10_000);
    const client = await connected(wallet.key, how);
    const args = purchase({ amount: 9_000, recipientAccountNo: '9000000001' });
    const { id } = (await client.call('make_payment', args)).structuredContent.payment;
    await one.settled();
    for (const answer of [
      await client.call('get_payment', { paymentId: id }),
      await client.call('make_payment', args),
    ]) {
      expect(answer.isError).toBeFalsy();
      expect(answer.structuredContent.payment).toMatchObject({ id, settlement: { status: 'failed' } });
      expect(answer.content[0]?.text).toMatch(
        /^Not paid: .* ₦90\.00 .* back in the wallet\..* new purchaseId/,
      );
    }
    expect((await one.stats(wallet)).balance).toBe(10_000);
  });

  it('is told when a person has to approve', async () => {
    const wallet = await one.fundedWallet(10_000);
    await askAbove(one, wallet, 500);
    const client = await connected(wallet.key, how);
    const pending = await client.call('make_payment', purchase({ amount: 1_000 }));
    const { id } = pending.structuredContent.payment;
    expect(pending.structuredContent).toMatchObject({
      payment: {
        decision: 'pending',
        settlement: null,
        approval: { expiresAt: expect.any(String) as unknown },
      },
    });
    const { approval } = pending.structuredContent.payment as unknown as { approval: { id: string } };
    expect(pending.content[0]?.text).toMatch(
      new RegExp(`waits for a person .*approval ${approval.id}.*get_payment with paymentId ${id}`),
    );
    const quote = await client.call('quote_payment', {
      ...purchase({ amount: 1_001 }),
      purchaseId: undefined,
    });
    expect(quote.content[0]?.text).toContain('would pass, and then wait for a person');
    const seen = await client.call('get_payment', { paymentId: id });
    expect(seen.structuredContent.payment).toMatchObject({ id, decision: 'pending', note: null });
    expect(await debits(wallet)).toBe(0);
  });

  it('is told what the owner wrote when denying', async () => {
    const wallet = await one.fundedWallet(10_000);
    await askAbove(one, wallet, 500);
    const client = await connected(wallet.key, how);
    const pending = await client.call('make_payment', purchase({ amount: 1_000 }));
    const { id } = pending.structuredContent.payment;
    const note = 'Ask the office manager "first"';
    const { token } = wallet.owner;
    expectStatus(200, await one.call('POST', `/v1/approvals/${id}/deny`, { token, body: { note } }));
    const seen = await client.call('get_payment', { paymentId: id });
    expect(seen.structuredContent.payment).toMatchObject({ id, decision: 'blocked', note });
    expect(seen.content[0]?.text).toContain(JSON.stringify(note));
    const listed = await client.call('list_payments');
    expect(listed.structuredContent.payments).toMatchObject([{ id, note }]);
  });

  it('is refused arguments that no schema allows, and nothing is paid', async () => {
    const wallet = await one.fundedWallet(50_000);
    const client = await connected(wallet.key, how);
    const wrong: Record<string, unknown>[] = [
      { amount: 0 },
      { amount: 1.5 },
      { amount: '1000' },
      { amount: 2 ** 53 },
      { recipientAccountNo: '012345678' },
      { recipientBankCode: 58 },
      { merchantName: 'ab' },
      { reason: 'x'.repeat(201) },
      { purchaseId: '' },
      { purchaseId: undefined },
      { amountNaira: 10 },
    ];
    for (const fields of wrong) {
      const answer = await client.call('make_payment', purchase(fields));
      expect([fields, answer.isError]).toEqual([fields, true]);
    }
    expect(await one.query('SELECT 1 FROM transactions WHERE wallet_id = $1', [wallet.id])).toEqual([]);
  });
});

describe('an argument of a tool', () => {
  it('that is null is absent', async () => {
    const wallet = await one.fundedWallet(50_000);
    const client = await connected(wallet.key);
    const nulls = { reason: null, confirmSecondPurchase: null };
    expect((await client.call('quote_payment', { ...paymentBody(), ...nulls })).isError ?? false).toBe(false);
    expect((await client.call('make_payment', { ...purchase(), ...nulls })).isError ?? false).toBe(false);
    const filter = { page: null, pageSize: null, decision: null, from: null, to: null };
    const { structuredContent } = await client.call('list_payments', filter);
    expect(structuredContent.payments).toHaveLength(1);
    const missing = await client.call('make_payment', purchase({ amount: null }));
    expect([missing.isError, missing.content[0]?.text]).toEqual([true, expect.stringContaining('amount')]);
  });

  it('that is a number may be text where it is no money', async () => {
    const wallet = await one.fundedWallet(50_000);
    const client = await connected(wallet.key);
    for (const amount of [1_000, 2_000]) await client.call('make_payment', purchase({ amount }));
    const second = await client.call('list_payments', { page: '2', pageSize: '1' });
    expect(second.structuredContent).toMatchObject({
      payments: [{ amount: { kobo: 1_000 } }],
      totalPages: 2,
    });
    for (const page of ['0', '', '1.5', '1e1', 'one', '2147483648']) {
      expect([page, (await client.call('list_payments', { page })).isError]).toEqual([page, true]);
    }
    const paid = await client.call('make_payment', purchase({ amount: '1000' }));
    expect(paid.isError).toBe(true);
    expect(await debits(wallet)).toBe(2);
  });
});

describe('one purchaseId', () => {
  it('pays once, however many calls arrive at once at two replicas', async () => {
    const wallet = await one.fundedWallet(50_000);
    const clients = await Promise.all(
      addresses.map((address) => connected(wallet.key, connectCurrent, address)),
    );
    const args = purchase();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => clients[i % 2]!.call('make_payment', args)),
    );
    expect(new Set(answers.map(({ structuredContent }) => structuredContent.payment.id)).size).toBe(1);
    expect(answers.filter(({ structuredContent }) => !structuredContent.replayed)).toHaveLength(1);
    expect(await debits(wallet)).toBe(1);
  });

  it('pays once when the answer was dropped after the commit and the call is made again', async () => {
    const wallet = await one.fundedWallet(50_000);
    const dropping = await droppingProxy(addresses[0]!, 'make_payment');
    const args = purchase();
    const client = await connected(wallet.key, connectCurrent, dropping.address);
    await expect(client.call('make_payment', args)).rejects.toThrow();
    expect(await debits(wallet)).toBe(1);
    await one.settled();
    const again = await client.call('make_payment', args);
    expect(again.structuredContent).toMatchObject({
      replayed: true,
      payment: { decision: 'approved', settlement: { status: 'succeeded' } },
    });
    expect(again.content[0]?.text).toMatch(/^Paid ₦10\.00 to "Acme Stores"\. An earlier call /);
    expect(await debits(wallet)).toBe(1);
    expect((await one.stats(wallet)).balance).toBe(49_000);
    dropping.stop();
  });

  it('is refused for a payment with other arguments', async () => {
    const wallet = await one.fundedWallet(50_000);
    const client = await connected(wallet.key);
    const args = purchase();
    await client.call('make_payment', args);
    const other = await client.call('make_payment', { ...args, amount: 2_000 });
    expect(other.structuredContent.error.code).toBe('IDEMPOTENCY_KEY_REUSED');
    expect(await debits(wallet)).toBe(1);
  });

  it('that is new, for the same sum and account, is asked about until the first payment is named', async () => {
    const wallet = await one.fundedWallet(50_000);
    const client = await connected(wallet.key);
    const first = await client.call('make_payment', purchase());
    const again = purchase();
    const second = await client.call('make_payment', again);
    expect([second.isError, second.structuredContent.error.code]).toEqual([true, 'POSSIBLE_DUPLICATE']);
    expect(second.structuredContent.error).toMatchObject({
      next: expect.stringContaining('a new purchaseId and with confirmSecondPurchase') as unknown,
    });
    const { id: transactionId } = first.structuredContent.payment;
    const { structuredContent } = await client.call('quote_payment', paymentBody());
    expect(structuredContent.quote).toMatchObject({ decision: 'blocked', blockReason: 'POSSIBLE_DUPLICATE' });
    // Ten minutes after the first.
    const [times] = await one.query<{ passesAt: Date }>(
      `SELECT created_at + interval '10 minutes' AS "passesAt" FROM transactions WHERE id = $1`,
      [transactionId],
    );
    expect(structuredContent.quote).toMatchObject({ earliestPassAt: times!.passesAt.toISOString() });
    // The block is the answer of its purchaseId for ever.
    const kept = await client.call('make_payment', { ...again, confirmSecondPurchase: transactionId });
    expect(kept.structuredContent.error.code).toBe('IDEMPOTENCY_KEY_REUSED');
    const meant = await client.call('make_payment', {
      ...purchase(),
      confirmSecondPurchase: transactionId,
    });
    expect(meant.isError ?? false).toBe(false);
    expect(await debits(wallet)).toBe(2);
  });

  it('that is new is not asked about where the owner turned the guard off', async () => {
    const wallet = await one.fundedWallet(50_000);
    const { token } = wallet.owner;
    const body = { duplicateGuardMinutes: 0 };
    expectStatus(200, await one.call('PATCH', `/api/wallets/${wallet.id}`, { token, body }));
    const client = await connected(wallet.key);
    for (const each of [purchase(), purchase()]) await client.call('make_payment', each);
    expect(await debits(wallet)).toBe(2);
  });
});

it('answers 200 calls that alternate over two replicas, and none fails', async () => {
  const wallet = await one.fundedWallet(1_000_000);
  const clients = await Promise.all(
    addresses.flatMap((address) => MCP_CLIENTS.map(([, , how]) => connected(wallet.key, how, address))),
  );
  let next = 0;
  let failed = 0;
  const work = async (): Promise<void> => {
    for (let i = next++; i < 200; i = next++) {
      const client = clients[(i % 2) * MCP_CLIENTS.length + (i % MCP_CLIENTS.length)]!;
      const answer = await (i % 4 === 0
        ? // Each buys for another sum: over MCP one and the same purchase twice is asked about.
          client.call('make_payment', purchase({ amount: 100 + i }))
        : client.call('get_wallet'));
      if (answer.isError) failed += 1;
    }
  };
  await Promise.all(Array.from({ length: 16 }, work));
  expect(failed).toBe(0);
  expect((await one.stats(wallet)).balance).toBe(1_000_000 - 50 * 100 - (50 * (0 + 196)) / 2);
  expect(await brokenInvariants(one)).toEqual({});
}, 120_000);

describe('/mcp', () => {
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const send = (headers: Record<string, string>, body: unknown = ping) =>
    one.post('/mcp', {
      body,
      headers: { host: '127.0.0.1:3000', accept: 'application/json, text/event-stream', ...headers },
    });
  const refusal = (code: string) => ({ jsonrpc: '2.0', id: null, error: { data: { code } } });

  it('asks who sends no live key for one, and says where to read on', async () => {
    const metadata = 'http://127.0.0.1:3000/.well-known/oauth-protected-resource/mcp';
    const { key } = await one.createWallet();
    const rows: [string | undefined, string, string][] = [
      [undefined, 'MISSING_API_KEY', `Bearer resource_metadata="${metadata}"`],
      [`Basic ${key}`, 'MISSING_API_KEY', `Bearer resource_metadata="${metadata}"`],
      ['Bearer x', 'INVALID_API_KEY', `Bearer error="invalid_token", resource_metadata="${metadata}"`],
      [
        `Bearer ${UNKNOWN_KEY}`,
        'INVALID_API_KEY',
        `Bearer error="invalid_token", resource_metadata="${metadata}"`,
      ],
    ];
    for (const [authorization, code, challenge] of rows) {
      const answer = await send(authorization === undefined ? {} : { authorization });
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, challenge]);
      expect(answer.body).toMatchObject(refusal(code));
    }
    for (const path of [
      '/.well-known/oauth-protected-resource',
      '/.well-known/oauth-protected-resource/mcp',
    ]) {
      const { status, body } = await one.get(path, { headers: { host: '127.0.0.1:3000' } });
      expect([status, body.resource, body.bearer_methods_supported]).toEqual([
        200,
        'http://127.0.0.1:3000/mcp',
        ['header'],
      ]);
    }
  });

  it('takes names of its own as host and origin, and no other', async () => {
    const { key } = await one.createWallet();
    const authorization = `Bearer ${key}`;
    const statuses = async (headers: Record<string, string>[]) =>
      Promise.all(headers.map(async (each) => (await send({ authorization, ...each })).status));
    const right: Record<string, string>[] = [
      { host: 'localhost:3000' },
      { host: '[::1]:3000' },
      { host: '127.0.0.1' },
      { origin: 'http://localhost:3000' },
    ];
    const wrong: Record<string, string>[] = [
      { host: 'evil.example' },
      { host: '127.0.0.1.evil.example:3000' },
      { host: 'localhost@evil.example' },
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { origin: 'http://localhost.evil.example' },
    ];
    expect(await statuses(right)).toEqual(right.map(() => 200));
    expect(await statuses(wrong)).toEqual(wrong.map(() => 403));
    const metadata = await one.get('/.well-known/oauth-protected-resource', {
      headers: { host: 'evil.example' },
    });
    expect(metadata.status).toBe(403);
  });

  it('refuses what no method sees as JSON-RPC does', async () => {
    const { key } = await one.createWallet();
    const authorization = `Bearer ${key}`;
    const malformed = await send({ authorization }, '{"jsonrpc":');
    expect([malformed.status, malformed.body]).toMatchObject([400, { error: { code: -32_700 } }]);
    const large = await send({ authorization }, { ...ping, params: { text: 'x'.repeat(65_536) } });
    expect([large.status, large.body]).toMatchObject([413, refusal('PAYLOAD_TOO_LARGE')]);
    const text = await send({ authorization, 'content-type': 'text/plain' }, 'hello');
    expect([text.status, text.body]).toMatchObject([415, refusal('UNSUPPORTED_MEDIA_TYPE')]);
    const got = await one.get('/mcp', { headers: { host: '127.0.0.1:3000' } });
    expect([got.status, got.headers.allow, got.body]).toMatchObject([
      405,
      'POST',
      refusal('METHOD_NOT_ALLOWED'),
    ]);
  });

  it('pays nothing more from the call after a key was revoked', async () => {
    const wallet = await one.fundedWallet(50_000);
    const client = await connected(wallet.key);
    await client.call('make_payment', purchase());
    await one.query('UPDATE api_keys SET revoked_at = clock_timestamp() WHERE wallet_id = $1', [wallet.id]);
    await expect(client.call('make_payment', purchase())).rejects.toThrow();
    expect(await debits(wallet)).toBe(1);
  });
});

describe('/llms.txt', () => {
  it('tells how to pay, and the page for people tells of the same codes', async () => {
    const { status, headers, text } = await one.get('/llms.txt');
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(headers['cache-control']).toBe('no-cache');
    const page = await readFile(new URL('../../docs/agents.md', import.meta.url), 'utf8');
    const { body } = await one.get<{
      components: { schemas: { ErrorCode: { enum: string[] } } };
      paths: Record<string, Record<string, { responses: Record<string, { description: string }> }>>;
    }>('/openapi.json');
    const { responses } = body.paths['/api/payment-intent']!['post']!;
    const blocks = [
      ...['402', '403', '409']
        .map((code) => responses[code]?.description ?? '')
        .join(' ')
        .matchAll(/`([A-Z_]+)`/g),
    ];
    expect(blocks.map(([, code]) => code)).toEqual(expect.arrayContaining([...BLOCK_REASONS]));
    for (const [, code] of blocks) {
      expect([code, text.includes(`- ${code}: `), page.includes(`\`${code}\``)]).toEqual([code, true, true]);
    }
    for (const tool of TOOLS) expect(text).toContain(tool);
  });

  it('calls a payment paid only when the recipient has it', async () => {
    const { text } = await one.get('/llms.txt');
    expect(text).toMatch(/201: approved and on its way\./);
    expect(text).toMatch(/`succeeded`: paid\. `failed`:\s+not paid, .*\. `reversed`: sent back by the bank/);
  });

  it('says that nothing was carried out only where that is certain', async () => {
    const { text } = await one.get('/llms.txt');
    expect(text).toMatch(/^- .*503 with any other code than OUTCOME_UNKNOWN: nothing was carried out/m);
    expect(text.split('nothing was carried out;')).toHaveLength(2);
  });
});

it('is reached under PUBLIC_URL and the names of MCP_ALLOWED_HOSTS, when they are set', async () => {
  const service = await startService({
    beside: one,
    env: {
      HOST: '0.0.0.0',
      PUBLIC_URL: 'https://pay.example.ng/agents',
      MCP_ALLOWED_HOSTS: 'Wallet, gateway.internal',
    },
  });
  const resourceAt = async (host: string) => {
    const answer = await service.get('/.well-known/oauth-protected-resource/mcp', { headers: { host } });
    return [answer.status, answer.body.resource];
  };
  expect(await resourceAt('pay.example.ng')).toEqual([200, 'https://pay.example.ng/agents/mcp']);
  expect(await resourceAt('wallet:3000')).toEqual([200, 'http://wallet:3000/mcp']);
  expect(await resourceAt('gateway.internal')).toEqual([200, 'http://gateway.internal/mcp']);
  expect((await resourceAt('wallet.example')).at(0)).toBe(403);
  // That is no name: it says where the service listens.
  expect((await resourceAt('0.0.0.0:3000')).at(0)).toBe(403);
  await service.close();
});

/** Passes connections on, and drops the first answer to a request that holds `word`, once it is there. */
async function droppingProxy(target: string, word: string): Promise<{ address: string; stop(): void }> {
  const { port, hostname } = new URL(target);
  let armed = true;
  const server = createServer((client) => {
    const service = connect(Number(port), hostname);
    let drops = false;
    const cut = (): void => {
      client.destroy();
      service.destroy();
    };
    for (const socket of [client, service]) socket.on('error', cut).on('close', cut);
    client.on('data', (data) => {
      if (armed && data.includes(`"${word}"`)) [armed, drops] = [false, true];
      service.write(data);
    });
    service.on('data', (data) => (drops ? cut() : client.write(data)));
  }).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    stop: () => server.close(),
  };
}
