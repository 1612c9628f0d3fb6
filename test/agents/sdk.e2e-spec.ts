import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import {
  ApprovalTimeoutError,
  AuthenticationError,
  IdempotencyKeyReusedError,
  NotFoundError,
  OutcomeUnknownError,
  PaymentBlockedError,
  UnavailableError,
  ValidationError,
  WalletClient,
} from '../../sdk/src/client.js';
import { askAbove, decide } from '../support/approvals.js';
import { freePort } from '../support/ports.js';
import { installSdk, tsc } from '../support/sdk-package.js';
import {
  type CreatedWallet,
  expectStatus,
  startService,
  type TestService,
  UNKNOWN_KEY,
} from '../support/service.js';

const ROOT = join(import.meta.dirname, '../..');
const INTENT = {
  amount: 1_000,
  merchantName: 'Acme Stores',
  recipientAccountNo: '0123456789',
  recipientBankCode: '058',
};

let service: TestService;
let baseUrl: string;
beforeAll(async () => {
  service = await startService();
  await service.app.listen(0, '127.0.0.1');
  baseUrl = `http://127.0.0.1:${(service.app.getHttpServer().address() as AddressInfo).port}`;
});
afterAll(() => service.close());

const clientOf = ({ key }: CreatedWallet) => new WalletClient({ baseUrl, apiKey: key });

describe('the SDK', () => {
  it('pays, quotes, looks and lists', async () => {
    const wallet = await service.fundedWallet(5_000);
    const client = clientOf(wallet);
    expect(await client.quote(INTENT)).toMatchObject({ decision: 'approved', balanceAfter: 4_000 });
    const payment = await client.pay({ ...INTENT, reason: 'Bread' });
    expect(payment).toMatchObject({ decision: 'approved', amount: 1_000, reason: 'Bread', replayed: false });
    expect(payment.idempotencyKey).toBeTruthy();
    expect(await client.getPayment(payment.id)).toMatchObject({ id: payment.id, decision: 'approved' });
    expect((await client.listPayments({ pageSize: 5 })).data).toHaveLength(1);
    expect(await client.getWallet()).toMatchObject({ id: wallet.id, balance: 4_000 });
    expect(await client.resolveAccount({ accountNumber: '0123456789', bankCode: '058' })).toBeTruthy();
    expect(await client.listBanks()).toContainEqual({ code: '058', name: expect.any(String) as unknown });
    expect(await client.waitForApproval(payment)).toMatchObject({ id: payment.id });
  });

  it('pays once under one key, and says so', async () => {
    const wallet = await service.fundedWallet(5_000);
    const client = clientOf(wallet);
    const options = { idempotencyKey: randomUUID() };
    const [first, second] = [await client.pay(INTENT, options), await client.pay(INTENT, options)];
    expect([first.replayed, second.replayed, second.id]).toEqual([false, true, first.id]);
    expect(first).toMatchObject({ status: 'processing', settlement: { status: 'processing' } });
    const reused = await client.pay({ ...INTENT, amount: 2_000 }, options).catch((error: unknown) => error);
    expect(reused).toBeInstanceOf(IdempotencyKeyReusedError);
    expect(reused).toMatchObject({ transactionId: first.id, idempotencyKey: options.idempotencyKey });
    expect((await service.stats(wallet)).balance).toBe(4_000);
  });

  it('answers a repeated payment as it stands now: paid, refused by the bank, sent back, approved or denied', async () => {
    const wallet = await service.fundedWallet(50_000);
    const client = clientOf(wallet);
    const twice = async (intent: typeof INTENT, change: (id: string) => Promise<unknown>) => {
      const options = { idempotencyKey: randomUUID() };
      const { id } = await client.pay(intent, options);
      await change(id);
      return client.pay(intent, options);
    };
    const settled = () => service.settled();
    expect(await twice(INTENT, settled)).toMatchObject({
      ...{ status: 'paid', settlement: { status: 'succeeded' }, replayed: true },
    });
    const refused = { ...INTENT, recipientAccountNo: '9000000001' };
    expect(await twice(refused, settled)).toMatchObject({
      ...{ decision: 'approved', status: 'failed', settlement: { status: 'failed' }, replayed: true },
    });
    const sentBack = async (id: string) => {
      await settled();
      await service.query(`UPDATE settlements SET status = 'reversed' WHERE reference = $1`, [id]);
    };
    expect(await twice(INTENT, sentBack)).toMatchObject({
      ...{ decision: 'approved', status: 'returned', replayed: true },
      settlement: { status: 'reversed', refundedAt: null },
    });
    await askAbove(service, wallet, 500);
    const waits = await twice(INTENT, () => Promise.resolve());
    expect(waits).toMatchObject({ decision: 'pending', status: 'awaiting_approval', settlement: null });
    expect(waits.approval).toMatchObject({ id: waits.id });
    const approved = (id: string) => decide(service, wallet, id, 'approve');
    expect(await twice({ ...INTENT, amount: 2_000 }, approved)).toMatchObject({ decision: 'approved' });
    const denied = twice({ ...INTENT, amount: 3_000 }, (id) => decide(service, wallet, id, 'deny'));
    await expect(denied).rejects.toMatchObject({ code: 'APPROVAL_DENIED', replayed: true });
  });

  it('tells of a repeated block that it is repeated, with advice of now and its key', async () => {
    const wallet = await service.createWallet();
    const client = clientOf(wallet);
    const blocked = () => client.pay(INTENT, { idempotencyKey: 'order-1' }).catch((error: unknown) => error);
    expect(await blocked()).toMatchObject({ replayed: false, maxAmountNow: 0, idempotencyKey: 'order-1' });
    await service.topUp(wallet.id, 5_000);
    expect(await blocked()).toMatchObject({
      ...{ code: 'INSUFFICIENT_FUNDS', replayed: true, maxAmountNow: 5_000, idempotencyKey: 'order-1' },
      hint: expect.stringMatching(
        /^The same payment passes now\. .* another attempt takes a new one\.$/,
      ) as unknown,
    });
  });

  it('throws what went wrong as an error of its class', async () => {
    const wallet = await service.fundedWallet(5_000);
    const client = clientOf(wallet);
    const blocked = await client.pay({ ...INTENT, amount: 5_001 }).catch((error: unknown) => error);
    expect(blocked).toBeInstanceOf(PaymentBlockedError);
    expect(blocked).toMatchObject({
      code: 'INSUFFICIENT_FUNDS',
      status: 402,
      maxAmountNow: 5_000,
      hint: expect.any(String) as unknown,
      transactionId: expect.any(String) as unknown,
      requestId: expect.any(String) as unknown,
    });
    const { transactionId } = blocked as PaymentBlockedError;
    await expect(client.waitForApproval(transactionId)).rejects.toMatchObject({ code: 'INSUFFICIENT_FUNDS' });
    const invalid = await client.pay({ ...INTENT, amount: 0 }).catch((error: unknown) => error);
    expect(invalid).toBeInstanceOf(ValidationError);
    expect((invalid as ValidationError).fields).toMatchObject([{ field: 'amount' }]);
    await expect(client.getPayment(randomUUID())).rejects.toThrow(NotFoundError);
    const stranger = new WalletClient({ baseUrl, apiKey: UNKNOWN_KEY });
    await expect(stranger.getWallet()).rejects.toThrow(AuthenticationError);
    const nobody = new WalletClient({
      baseUrl: `http://127.0.0.1:${await freePort()}`,
      apiKey: wallet.key,
      retry: { retriesMax: 1, backoffMs: 1 },
    });
    const lost = await nobody.pay(INTENT, { idempotencyKey: 'order-1' }).catch((error: unknown) => error);
    expect(lost).toBeInstanceOf(OutcomeUnknownError);
    expect(lost).toMatchObject({ idempotencyKey: 'order-1' });
    await expect(nobody.getWallet()).rejects.toThrow(UnavailableError);
  });

  it('waits until a person has approved or denied, and no longer than it was told', async () => {
    const wallet = await service.fundedWallet(5_000);
    await askAbove(service, wallet, 500);
    const client = clientOf(wallet);
    const approved = await client.pay(INTENT);
    expect(approved).toMatchObject({ decision: 'pending', settlement: null });
    await expect(client.waitForApproval(approved, { timeoutMs: 0 })).rejects.toThrow(ApprovalTimeoutError);
    const waiting = client.waitForApproval(approved, { pollMsMax: 20 });
    expectStatus(200, await decide(service, wallet, approved.approval!.id, 'approve'));
    expect(await waiting).toMatchObject({ id: approved.id, decision: 'approved' });
    const denied = await client.pay({ ...INTENT, amount: 900 });
    expectStatus(200, await decide(service, wallet, denied.approval!.id, 'deny'));
    const refused = await client.waitForApproval(denied.id).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(PaymentBlockedError);
    expect(refused).toMatchObject({ code: 'APPROVAL_DENIED', transactionId: denied.id });
    expect((await service.stats(wallet)).balance).toBe(4_000);
  });

  it('pays once when answers are lost after the commit', async () => {
    const wallet = await service.fundedWallet(5_000);
    let lost = 0;
    const client = new WalletClient({
      baseUrl,
      apiKey: wallet.key,
      retry: { backoffMs: 1 },
      fetch: async (...asked) => {
        const answer = await fetch(...asked);
        if (lost++ < 3) throw new TypeError('fetch failed');
        return answer;
      },
    });
    expect((await client.pay(INTENT)).replayed).toBe(true);
    // The fifth reads how the payment stands.
    expect(lost).toBe(5);
    expect((await service.stats(wallet)).balance).toBe(4_000);
  });
});

/** The package as it is published, in a folder of its own, and the README's examples beside it. */
describe("the README's examples", () => {
  const folder = join(ROOT, 'dist', `test-sdk-${process.pid}`);

  beforeAll(async () => {
    await installSdk(folder);
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const readme = readFileSync(join(ROOT, 'sdk/README.md'), 'utf8');
    const [pay, webhook] = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code!);
    writeFileSync(join(folder, 'pay.ts'), pay!);
    writeFileSync(join(folder, 'webhook.ts'), webhook!);
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('are correct TypeScript against the published types', async () => {
    const strict = ['--strict', '--target', 'es2022', '--module', 'nodenext', '--types', 'node', '--noEmit'];
    await tsc([...strict, '--skipLibCheck', '--ignoreConfig', 'pay.ts', 'webhook.ts'], folder);
  }, 120_000);

  it('pay once, however often they run, and tell why a payment was blocked', async () => {
    const run = async ({ key }: CreatedWallet) =>
      (
        await promisify(execFile)(process.execPath, ['pay.ts'], {
          cwd: folder,
          env: { WALLET_URL: baseUrl, WALLET_KEY: key },
        })
      ).stdout.trim();
    const rich = await service.fundedWallet(100_000);
    expect(await run(rich)).toMatch(/^The account belongs to .+\.\nApproved, processing: [0-9a-f-]{36}$/);
    expect(await run(rich)).toMatch(/\nApproved, (processing|paid): [0-9a-f-]{36} \(by an earlier run\)$/);
    expect((await service.stats(rich)).balance).toBe(60_000);
    expect(await run(await service.fundedWallet(30_000))).toMatch(/\nBlocked, INSUFFICIENT_FUNDS: .*300\.00/);
  });

  it('take the webhooks that are signed with the secret, and no other', async () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const port = await freePort();
    const env = { PORT: String(port), WEBHOOK_SECRET: secret };
    const receiver = spawn(process.execPath, ['webhook.ts'], { cwd: folder, env, stdio: 'ignore' });
    const body = JSON.stringify({ event: 'wallet.funded', data: {} });
    const send = async (signed: string) => {
      const headers = {
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
        'webhook-signature': new Webhook(secret).sign('msg_1', new Date(), signed),
      };
      for (;;) {
        const answer = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body, headers }).catch(
          () => null,
        );
        if (answer) return answer.status;
        if (receiver.exitCode !== null) throw new Error('the example ended');
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    };
    expect(await send(body)).toBe(204);
    expect(await send(`${body} `)).toBe(400);
    receiver.kill();
  });
});
