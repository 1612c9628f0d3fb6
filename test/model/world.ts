import { randomUUID } from 'node:crypto';
import { ApprovalsService } from '../../src/contexts/payments/approvals/approvals.service.js';
import {
  type Answer,
  type CreatedWallet,
  FAR_AHEAD,
  type PageOf,
  type TestService,
} from '../support/service.js';
import { NaiveLedger } from './ledger.js';
import { START_MS } from './steps.js';
import { type Attempt, NaiveWallet, type Settings, TTL_MINUTES } from './wallet.js';

/** How often each kind of outcome was met: a rule that is never met is not tested. */
export class Coverage {
  readonly counts = new Map<string, number>();

  note(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  /** What of `wanted` was met less than `least` times. */
  missing(wanted: readonly string[], least: number): readonly string[] {
    return wanted.filter((what) => (this.counts.get(what) ?? 0) < least);
  }
}

/** A wallet in the service, and the same in the model, with a second wallet of its owner to move money to and fro. */
export class World {
  readonly purseLedger = new NaiveLedger();
  isPurseActive = true;
  private waitFor: Promise<unknown> = Promise.resolve();

  private constructor(
    readonly service: TestService,
    readonly wallet: CreatedWallet,
    readonly purse: CreatedWallet,
    readonly model: NaiveWallet,
    readonly coverage: Coverage,
  ) {}

  static async create(service: TestService, settings: Settings, coverage: Coverage): Promise<World> {
    await service.setClock(new Date(START_MS));
    const { approvalThreshold, duplicateGuardMinutes, payeePolicy, verifyRecipient, coolingOff, ...rules } =
      settings;
    const { expiryMs, ...limits } = rules;
    const wallet = await service.createWallet(undefined, {
      ...limits,
      expiry: new Date(expiryMs).toISOString(),
      // As an owner may type it.
      merchantAllowlist: settings.merchantAllowlist.map((each) => ` ${each} `),
    });
    const purse = await service.createWallet(wallet.owner);
    await service.query(`UPDATE sessions SET expires_at = '${FAR_AHEAD}'`);
    const { expiryMs: _, ...rest } = settings;
    const model = new NaiveWallet({ ...rest, expiryMs, spendLimitPerTx: limits.spendLimitPerTx }, START_MS);
    const world = new World(service, wallet, purse, model, coverage);
    const [key] = await world.keys();
    model.addKey(
      { id: key!.id, fullKey: wallet.key, atMs: Date.parse(key!.createdAt), limits: {} },
      [],
      0,
      false,
    );
    const controls = { approvalThreshold, duplicateGuardMinutes, payeePolicy, verifyRecipient, coolingOff };
    await world.owner('PATCH', '', { ...controls, approvalTtlMinutes: TTL_MINUTES });
    // The time to wait is one setting more than the model has: the first change is always one.
    model.version = 1;
    model.change(controls, null);
    model.version = 2;
    await world.passChange();
    await service.topUp(wallet.id, 150);
    model.ledger.credit(150);
    await service.topUp(purse.id, 50);
    world.purseLedger.credit(50);
    return world;
  }

  /** A request of the owner; `path` goes on behind that of the wallet. */
  owner<Body = { readonly error?: { readonly code: string } }>(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Answer<Body>> {
    const { id, owner } = this.wallet;
    return this.service.call<Body>(method, `/api/wallets/${id}${path}`, {
      token: owner.token,
      headers,
      ...(body && { body }),
    });
  }

  async keys(): Promise<readonly ShownKey[]> {
    const { body } = await this.owner<{ data: readonly ShownKey[] }>('GET', '/keys');
    return body.data;
  }

  async payees(): Promise<readonly ShownPayee[]> {
    const { body } = await this.owner<PageOf<ShownPayee>>('GET', '/payees?pageSize=100');
    return body.data;
  }

  withIdempotencyKey(): Record<string, string> {
    return { 'idempotency-key': randomUUID() };
  }

  /** Time passes, and what is overdue lapses. */
  async pass(ms: number): Promise<void> {
    const lapsed = this.model.pass(ms);
    await this.service.setClock(new Date(this.model.nowMs));
    await this.service.app.get(ApprovalsService).expireDue();
    this.noteEnds('lapsed', lapsed);
  }

  /** A change has a time of its own, later than what it follows: the clock is to be past it. */
  passChange(): Promise<void> {
    return this.pass(2);
  }

  /** Waits until the bank has spoken, and gives back what it did not pay. */
  async settle(): Promise<void> {
    await this.service.settled();
    this.noteEnds('refunded', this.model.refund());
  }

  noteEnds(how: string, attempts: readonly Attempt[]): void {
    for (const { key } of attempts) this.coverage.note(key.isLimited ? `${how}, of a limited key` : how);
  }

  /** The bank answers nobody before `answers` are there: no payment of a step is refunded before all are decided. */
  holdBank<Result>(answers: Promise<Result>): Promise<Result> {
    this.waitFor = answers;
    return answers;
  }

  get bankMaySpeak(): Promise<unknown> {
    return this.waitFor;
  }
}

export interface ShownKey {
  readonly id: string;
  readonly status: string;
  readonly expiresAt: string | null;
  readonly createdAt: string;
  readonly left?: object;
}

interface ShownPayee {
  readonly id: string;
  readonly merchant: string;
  readonly accountNumber: string;
  readonly origin: string;
  readonly createdAt: string;
  /** Set only if a key with limits bound it for itself. */
  readonly keyId?: string;
}
