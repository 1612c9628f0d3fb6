import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresServer } from '../support/postgres-server.ts';
import type { WalletOwner } from '../support/wallet-owner.ts';
import type { Fault } from './checks.ts';
import type { Clients } from './clients.ts';

const THRESHOLD = 100;
const PAYMENTS_AT_ONCE = 3;
const ACCOUNT = { accountNumber: '0123456789', bankCode: '058' };
const LIMITS = { totalCap: 20_000, maxPayments: 60, spendLimitPeriod: 18_000 };

/** What an owner was answered, by the id of what it is about: it must be there, whoever was killed since. */
interface Told {
  /** The answers to payments: 201, 202, or a refusal. */
  readonly payments: Map<string, number>;
  readonly decisions: Map<string, string>;
  readonly names: Set<string>;
  readonly withdrawals: Map<string, number>;
  readonly transfers: Map<string, number>;
  readonly revokedKeys: Set<string>;
}

/** A wallet whose owner controls it, one act after the other. */
interface Controlled {
  readonly id: string;
  name: string;
  status: 'ACTIVE' | 'SUSPENDED';
  key: { readonly id: string; readonly fullKey: string };
}

/** Owners who change, suspend, rotate, approve, withdraw and move money while everything is killed around them. */
export class Owners {
  readonly told: Told = {
    payments: new Map(),
    decisions: new Map(),
    names: new Set(),
    withdrawals: new Map(),
    transfers: new Map(),
    revokedKeys: new Set(),
  };
  /** The idempotency keys of all that was asked for. */
  readonly asked = new Set<string>();
  private readonly clients: Clients;
  private readonly random: () => number;
  private readonly owner: WalletOwner;
  private readonly wallets: Controlled[] = [];
  private purseId = '';
  private working = false;
  private loops: Promise<void>[] = [];

  constructor(clients: Clients, random: () => number, owner: WalletOwner) {
    this.clients = clients;
    this.random = random;
    this.owner = owner;
  }

  async start(count: number): Promise<void> {
    this.purseId = (await this.owner.createWallet()).id;
    for (let i = 0; i < count; i += 1) {
      const { id } = await this.owner.createWallet();
      await this.clients.topUp(id, 5_000_000, 1);
      const controls = { approvalThreshold: THRESHOLD, approvalTtlMinutes: 1, duplicateGuardMinutes: 1 };
      await this.act('PATCH', `/api/wallets/${id}`, controls, [200]);
      const wallet: Controlled = { id, name: 'Agent', status: 'ACTIVE', key: { id: '', fullKey: '' } };
      await this.rotate(wallet);
      this.wallets.push(wallet);
    }
    this.working = true;
    this.loops = this.wallets.map((wallet) => this.control(wallet));
  }

  async finish(): Promise<void> {
    this.working = false;
    await Promise.all(this.loops);
  }

  private async control(wallet: Controlled): Promise<void> {
    const acts = [
      () => this.pay(wallet),
      () => this.rename(wallet),
      () => this.pay(wallet),
      () => this.stand(wallet),
      () => this.pay(wallet),
      () => this.withdraw(wallet),
      () => this.pay(wallet),
      () => this.transfer(wallet),
      () => this.pay(wallet),
      () => this.rotate(wallet),
    ];
    for (let i = Math.floor(this.random() * acts.length); this.working; i += 1) {
      await acts[i % acts.length]!();
      await sleep(this.random() * 20);
    }
    if (wallet.status === 'SUSPENDED') await this.stand(wallet);
  }

  private async act(
    method: string,
    path: string,
    body: object,
    expected: readonly number[],
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly status: number; readonly data: unknown } | null> {
    const authorization = `Bearer ${this.owner.token}`;
    const answer = await this.clients.untilAnswered(
      path,
      body,
      expected,
      { authorization, ...headers },
      method,
    );
    return answer && { status: answer.status, data: (answer.body as { data: unknown }).data };
  }

  private idempotent(): Record<string, string> {
    const key = randomUUID();
    this.asked.add(key);
    return { 'idempotency-key': key };
  }

  /** Some pass, some are blocked, and those that wait are approved, denied, both at once, or left to lapse. */
  private async pay({ key }: Controlled): Promise<void> {
    await Promise.all(
      Array.from({ length: PAYMENTS_AT_ONCE }, async () => {
        const body = {
          amount: 1 + Math.floor(this.random() * 2 * THRESHOLD),
          merchantName: 'Jumia',
          recipientAccountNo: ACCOUNT.accountNumber,
          recipientBankCode: ACCOUNT.bankCode,
        };
        const headers = { 'x-api-key': key.fullKey, ...this.idempotent() };
        const answer = await this.clients.untilAnswered(
          '/api/payment-intent',
          body,
          [201, 202, 402, 403, 409],
          headers,
        );
        if (!answer) return;
        type Body = { transactionId?: string; data?: { transaction: { id: string } } };
        const { data, transactionId } = answer.body as Body;
        const id = data?.transaction.id ?? transactionId ?? '';
        this.told.payments.set(id, answer.status);
        if (answer.status === 202) await this.decide(id);
      }),
    );
  }

  private async decide(id: string): Promise<void> {
    const chance = this.random();
    if (chance > 0.9) return;
    const words = chance < 0.4 ? ['approve'] : chance < 0.7 ? ['deny'] : ['approve', 'deny'];
    await Promise.all(
      words.map(async (word) => {
        const answer = await this.act('POST', `/v1/approvals/${id}/${word}`, {}, [200, 409]);
        if (answer?.status !== 200) return;
        this.told.decisions.set(id, (answer.data as { approval: { status: string } }).approval.status);
      }),
    );
  }

  private async rename(wallet: Controlled): Promise<void> {
    const name = `Agent ${randomUUID()}`;
    const spendLimitPerTx = 1_000 + Math.floor(this.random() * 1_000);
    if (!(await this.act('PATCH', `/api/wallets/${wallet.id}`, { name, spendLimitPerTx }, [200]))) return;
    wallet.name = name;
    this.told.names.add(name);
  }

  private async stand(wallet: Controlled): Promise<void> {
    const isActive = wallet.status === 'ACTIVE';
    const path = `/api/wallets/${wallet.id}/${isActive ? 'suspend' : 'resume'}`;
    if (await this.act('POST', path, {}, [200])) wallet.status = isActive ? 'SUSPENDED' : 'ACTIVE';
  }

  /** A request that is sent again may leave a second key: none but the last that was answered is used. */
  private async rotate(wallet: Controlled): Promise<void> {
    const path = `/api/wallets/${wallet.id}/keys`;
    const made = await this.act('POST', path, { name: 'child', limits: LIMITS }, [201, 409]);
    if (made?.status !== 201) return;
    const old = wallet.key.id;
    wallet.key = (made.data as { apiKey: Controlled['key'] }).apiKey;
    if (old === '') return;
    if (await this.act('DELETE', `${path}/${old}`, {}, [200])) this.told.revokedKeys.add(old);
  }

  private async withdraw({ id }: Controlled): Promise<void> {
    const amount = 1 + Math.floor(this.random() * 500);
    const body = { ...ACCOUNT, amount };
    const answer = await this.act(
      'POST',
      `/api/wallets/${id}/withdrawals`,
      body,
      [201, 402],
      this.idempotent(),
    );
    if (answer?.status !== 201) return;
    this.told.withdrawals.set((answer.data as { withdrawal: { id: string } }).withdrawal.id, amount);
  }

  private async transfer({ id }: Controlled): Promise<void> {
    const amount = 1 + Math.floor(this.random() * 500);
    const body = { toWalletId: this.purseId, amount };
    const answer = await this.act(
      'POST',
      `/api/wallets/${id}/transfers`,
      body,
      [201, 402],
      this.idempotent(),
    );
    if (answer?.status !== 201) return;
    this.told.transfers.set((answer.data as { transfer: { id: string } }).transfer.id, amount);
  }

  /** Compares what the owners were told with what is in the books. */
  async compare(postgres: PostgresServer, database: string): Promise<Fault[]> {
    const rows = <Row extends object>(query: string): Promise<Row[]> => postgres.run<Row>(query, database);
    type Attempt = { id: string; isBlocked: boolean; approval: string | null };
    const attempts = new Map(
      (
        await rows<Attempt>('SELECT id, block_reason IS NOT NULL AS "isBlocked", approval FROM transactions')
      ).map((attempt) => [attempt.id, attempt]),
    );
    const { payments, decisions, names, withdrawals, transfers, revokedKeys } = this.told;
    const lostPayments = [...payments].filter(([id, status]) => {
      const stored = attempts.get(id);
      if (!stored) return true;
      if (status === 202) return stored.approval === null;
      return stored.approval !== null || stored.isBlocked !== status > 201;
    });
    const lostWords = [...decisions].filter(([id, status]) => attempts.get(id)?.approval !== status);
    const named = await rows<{ name: string }>(
      `SELECT after->>'name' AS name FROM wallet_changes WHERE after ? 'name'`,
    );
    const times = (name: string) => named.filter((change) => change.name === name).length;
    type Amount = { id: string; amount: string };
    const taken = await rows<Amount>('SELECT id, amount::text FROM withdrawals');
    const moved = await rows<Amount>('SELECT id, amount::text FROM wallet_transfers');
    const revoked = await rows<{ id: string }>('SELECT id FROM api_keys WHERE revoked_at IS NOT NULL');
    const wallets = await rows<{ id: string; name: string; status: string }>(
      'SELECT id, name, status FROM wallets',
    );
    const otherwise = this.wallets.filter(
      ({ id, name, status }) =>
        !wallets.some((each) => each.id === id && each.name === name && each.status === status),
    );
    const lacks = (stored: readonly Amount[], told: ReadonlyMap<string, number>) =>
      [...told].filter(
        ([id, amount]) => !stored.some((row) => row.id === id && row.amount === String(amount)),
      );
    return [
      fault('answers to payments that owners watch, and that are not so', lostPayments),
      fault('words of owners that are not on record', lostWords),
      fault(
        'changes that were answered and are not on record once',
        [...names].filter((name) => times(name) !== 1),
      ),
      fault('wallets that are not as their owner left them', otherwise),
      fault('withdrawals that were answered and lost', lacks(taken, withdrawals)),
      fault('transfers between wallets that were answered and lost', lacks(moved, transfers)),
      fault(
        'revoked keys that live',
        [...revokedKeys].filter((key) => !revoked.some(({ id }) => id === key)),
      ),
    ];
  }

  get facts(): Readonly<Record<string, number>> {
    const { payments, decisions, names, withdrawals, transfers, revokedKeys } = this.told;
    return {
      'changes answered': names.size,
      'payments that waited': [...payments.values()].filter((status) => status === 202).length,
      'of them decided': decisions.size,
      'withdrawals answered': withdrawals.size,
      'transfers between wallets answered': transfers.size,
      'keys revoked': revokedKeys.size,
    };
  }
}

function fault(name: string, wrong: readonly unknown[]): Fault {
  return { name, count: wrong.length, ...(wrong.length > 0 && { example: JSON.stringify(wrong[0]) }) };
}
