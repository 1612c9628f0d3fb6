import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import pLimit from 'p-limit';
import { expectStatus, FAR_AHEAD, type TestService } from '../support/service.js';
import {
  checksDifference,
  difference,
  type ExplainedAttempt,
  pay as payAt,
  type Paid,
  quote,
  type Quote,
  type Sent,
  sent,
  unlike,
  withFields,
} from './case.js';
import { pause, type Pay, scenario } from './scenarios.js';
import { Stage } from './stage.js';
import { Tally } from './tally.js';
import { actAsOwner, type FuzzedWallet, openWallet } from './wallets.js';

const HOUR_MS = 3_600_000;
const ROUNDS = 24;
const BATCH_MAX = 64;
/** All of a batch at once would keep a service that shares its machine busy for longer than a request waits. */
const OPENED_AT_ONCE = 4;
/** Every so many rounds the clock is moved as far as an answer said that it is worth waiting. */
const FAR_EVERY = 4;
const DISAGREEMENTS_MAX = 20;

export interface FuzzReport {
  readonly cases: number;
  readonly tally: Tally;
  /** What a quote said, and what was found, with what led to it. */
  readonly disagreements: readonly string[];
}

interface Case {
  readonly fuzzed: FuzzedWallet;
  readonly pay: Pay;
  readonly sent: Sent;
  readonly quoted: Quote;
  readonly paid?: Paid;
}

/**
 * Quotes and pays at random, from wallets with every rule that there is, until `cases` quotes were held against the
 * payments that followed them. Both services work on one database, whose clock can be set.
 */
export class QuoteFuzz {
  readonly tally = new Tally();
  /** Every wallet there was. */
  readonly wallets: FuzzedWallet[] = [];
  private readonly disagreements: string[] = [];
  private readonly broken = new Set<FuzzedWallet>();
  private readonly last = new Map<FuzzedWallet, Pay>();
  private cases = 0;
  private readonly stage: Stage;

  constructor(
    private readonly replicas: readonly [TestService, TestService],
    private readonly seed: number,
    private readonly say: (line: string) => void,
  ) {
    this.stage = new Stage(replicas[0]);
  }

  async run(cases: number): Promise<FuzzReport> {
    const size = Math.max(16, Math.min(BATCH_MAX, Math.ceil(cases / 16)));
    for (let batch = 0; this.cases < cases && !this.isHopeless(); batch += 1) {
      await this.batch(size, this.seed + batch, cases);
      this.say(`${this.cases} of ${cases} cases, ${this.disagreements.length} disagreements`);
    }
    return { cases: this.cases, tally: this.tally, disagreements: this.disagreements };
  }

  private isHopeless(): boolean {
    return this.disagreements.length >= DISAGREEMENTS_MAX;
  }

  private async batch(size: number, seed: number, cases: number): Promise<void> {
    const [one] = this.replicas;
    await this.stage.moveTo(this.stage.now + 24 * HOUR_MS);
    const owner = await one.signUp();
    await one.query('UPDATE sessions SET expires_at = $1', [FAR_AHEAD]);
    const scenarios = fc.sample(scenario(ROUNDS), { numRuns: size, seed });
    const pauses = fc.sample(pause, { numRuns: ROUNDS, seed });
    const opening = pLimit(OPENED_AT_ONCE);
    const wallets = await opening.map(scenarios, (each) => openWallet(one, owner, each, this.stage.now));
    this.wallets.push(...wallets);
    for (let round = 0; round < ROUNDS && this.cases < cases && !this.isHopeless(); round += 1) {
      await this.round(
        wallets.filter((each) => !this.broken.has(each)),
        round,
        pauses[round]!,
      );
    }
  }

  private async round(wallets: readonly FuzzedWallet[], round: number, waitMs: number): Promise<void> {
    const [one] = this.replicas;
    await Promise.all(
      wallets.map(async (fuzzed) => {
        const step = fuzzed.scenario.steps[round]!;
        if (step.do !== 'pay') await actAsOwner(one, fuzzed, step);
      }),
    );
    await this.stage.settle();
    await this.stage.moveTo(this.stage.now + waitMs);
    const asked = await this.quoteAll(wallets, round);
    await Promise.all(asked.map((each) => this.guarded(each, () => this.probeMoreThanMost(each))));
    const paid = await Promise.all(asked.map((each) => this.payAndCompare(each)));
    await this.stage.settle();
    const isFar = round % FAR_EVERY === FAR_EVERY - 1 || round === ROUNDS - 1;
    await this.probeEarliest(paid, isFar);
    await this.stage.settle();
  }

  /** Quotes one payment a wallet, and sees that nothing changed by it. */
  private async quoteAll(wallets: readonly FuzzedWallet[], round: number): Promise<Case[]> {
    const before = await this.stage.census();
    const asked = await Promise.all(
      wallets.flatMap((fuzzed) => {
        const pay = fuzzed.scenario.steps[round]!;
        return pay.do === 'pay' ? [this.ask(fuzzed, pay)] : [];
      }),
    );
    const changed = unlike('the database, by a quote', before, await this.stage.census());
    if (changed) this.disagreements.push(changed);
    return asked;
  }

  private async ask(fuzzed: FuzzedWallet, drawn: Pay): Promise<Case> {
    const { amount, merchant, account, bank, by } = (drawn.isRepeated && this.last.get(fuzzed)) || drawn;
    const pay = { ...drawn, amount, merchant, account, bank, by };
    this.last.set(fuzzed, pay);
    const confirms =
      pay.confirms === 'nothing'
        ? undefined
        : pay.confirms === 'something else'
          ? randomUUID()
          : await this.likeIt(fuzzed, pay);
    const one = sent(fuzzed.keys[pay.by]!.fullKey, pay, confirms);
    return { fuzzed, pay, sent: one, quoted: await quote(this.replicas[pay.quotedAt]!, one) };
  }

  /** The newest payment that this one would repeat. */
  private async likeIt({ wallet, keys }: FuzzedWallet, { by, amount, account, bank }: Pay) {
    const [found] = await this.replicas[0].query<{ id: string }>(
      `SELECT id FROM transactions WHERE wallet_id = $1 AND key_id = $2 AND amount = $3 AND recipient_account_no = $4
          AND recipient_bank_code = $5 AND block_reason IS NULL ORDER BY seq DESC LIMIT 1`,
      [wallet.id, keys[by]!.id, amount, account, bank],
    );
    return found?.id;
  }

  private async payAndCompare(asked: Case): Promise<Case> {
    const { fuzzed, pay, quoted } = asked;
    const service = this.replicas[pay.paidAt]!;
    const idempotencyKey = pay.probes === 'a repetition' ? randomUUID() : undefined;
    const paid = await payAt(service, asked.sent, idempotencyKey);
    this.cases += 1;
    this.tally.decided(pay, quoted, paid);
    const done = { ...asked, paid };
    if (!this.holds(done, difference(quoted, paid))) return done;
    if (paid.decision === 'none') return done;
    await this.guarded(done, async () => {
      const { wallet } = fuzzed;
      const path = `/api/wallets/${wallet.id}/transactions/${paid.transactionId}`;
      const { body } = expectStatus(
        200,
        await service.get<{ data: ExplainedAttempt }>(path, { token: wallet.owner.token }),
      );
      return (
        checksDifference(quoted, body.data) ??
        (idempotencyKey === undefined ? null : await this.repeat(done, idempotencyKey)) ??
        (paid.decision === 'blocked' ? await this.probeBlocked(done) : null)
      );
    });
    return done;
  }

  /** The same key and body are answered the same, from any replica, and nothing is done; a block with a hint of now. */
  private async repeat({ pay, sent: one, paid }: Required<Case>, idempotencyKey: string) {
    const again = await payAt(this.replicas[1 - pay.paidAt]!, one, idempotencyKey);
    this.tally.count('a repetition');
    const { hint } = again.body;
    const body = paid.decision === 'blocked' ? { ...paid.body, hint, replayed: true } : paid.body;
    return unlike('a repetition', { ...paid, body, isReplayed: true }, again);
  }

  /** What a block leaves as it was can be quoted again, and the most that was said passes. */
  private async probeBlocked({ pay, sent: one, quoted }: Case): Promise<string | null> {
    if (pay.probes === 'a quote after it') {
      this.tally.count('a quote after it');
      return unlike('the quote after it', quoted, await quote(this.replicas[1 - pay.quotedAt]!, one));
    }
    if (pay.probes !== 'the most' || quoted.maxAmountNow === 0) return null;
    const most = withFields(one, { amount: quoted.maxAmountNow });
    const paid = await this.payOrConfirm(this.replicas[pay.paidAt]!, most);
    this.tally.count('the most passes and one kobo more does not');
    return paid.code === null
      ? null
      : `the most of ${quoted.maxAmountNow} was blocked: ${JSON.stringify(paid)}`;
  }

  /** The most may have been paid before: another amount is another purchase, and the guard may know that one. */
  private async payOrConfirm(service: TestService, one: Sent): Promise<Paid> {
    const paid = await payAt(service, one);
    if (paid.code !== 'POSSIBLE_DUPLICATE') return paid;
    return payAt(service, withFields(one, { confirmSecondPurchase: paid.body.details?.duplicateOf }));
  }

  private async probeMoreThanMost({ pay, sent: one, quoted }: Case): Promise<string | null> {
    if (pay.probes !== 'the most' || quoted.refusedAs !== undefined) return null;
    const more = withFields(one, { amount: quoted.maxAmountNow + 1 });
    const paid = await payAt(this.replicas[pay.paidAt]!, more);
    return paid.decision === 'blocked'
      ? null
      : `one kobo more than the most of ${quoted.maxAmountNow}: ${paid.decision}`;
  }

  /** Moves the clock on to when blocked payments pass, the soonest first, and pays them then and just before. */
  private async probeEarliest(cases: readonly Case[], isFar: boolean): Promise<void> {
    const waiting = cases
      .filter(({ fuzzed, pay, paid, quoted }) => {
        // What was paid in the place of the blocked one leaves less for it.
        const isTried = pay.probes === 'the earliest' || (isFar && pay.probes !== 'the most');
        if (!isTried || paid?.decision !== 'blocked') return false;
        return quoted.earliestPassAt !== null && !this.broken.has(fuzzed);
      })
      .map((each) => ({ ...each, at: Date.parse(each.quoted.earliestPassAt!) }))
      .filter(({ at }) => at > this.stage.now && (isFar || at - this.stage.now <= HOUR_MS))
      .sort((one, other) => one.at - other.at);
    // Asked before the clock moves: it moves on for all of them.
    const isDisturbed = await Promise.all(waiting.map(({ fuzzed, at }) => this.lapsesBy(fuzzed, at)));
    for (const each of waiting.filter((_, i) => !isDisturbed[i])) {
      await this.guarded(each, async () => {
        const service = this.replicas[each.pay.paidAt]!;
        for (const before of [each.at - 1_000, each.at - 1].filter((time) => time >= this.stage.now)) {
          await this.stage.moveTo(before);
          const { decision } = await payAt(service, each.sent);
          if (decision !== 'blocked') return `${each.at - before} ms before earliestPassAt: ${decision}`;
        }
        await this.stage.moveTo(each.at);
        const { code, body } = await payAt(service, each.sent);
        this.tally.count('passes at earliestPassAt and not before');
        return code === null ? null : `blocked at earliestPassAt: ${JSON.stringify(body)}`;
      });
    }
  }

  /** Whether something else happens until then: what waits for a person ends, and gives back what it held. */
  private async lapsesBy({ wallet }: FuzzedWallet, at: number): Promise<boolean> {
    const rows = await this.replicas[0].query(
      `SELECT 1 FROM transactions WHERE wallet_id = $1 AND approval = 'pending' AND approval_expires_at <= $2 LIMIT 1`,
      [wallet.id, new Date(at)],
    );
    return rows.length > 0;
  }

  private async guarded(asked: Case, probe: () => Promise<string | null>): Promise<void> {
    if (!this.broken.has(asked.fuzzed)) this.holds(asked, await probe());
  }

  private holds({ fuzzed, sent: { body, headers }, quoted }: Case, found: string | null): boolean {
    if (found === null) return true;
    const rules = { ...fuzzed.scenario, steps: undefined };
    this.broken.add(fuzzed);
    this.disagreements.push(
      [found, `sent ${JSON.stringify({ body, headers })}`, `quoted ${JSON.stringify(quoted)}`]
        .concat(`rules at first ${JSON.stringify(rules)}`, `wallet ${fuzzed.wallet.id} at ${this.stage.now}`)
        .join('\n    '),
    );
    return false;
  }
}
