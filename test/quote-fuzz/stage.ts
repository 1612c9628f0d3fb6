import { RecentPurchasesStore } from '../../src/contexts/payments/rules/duplicate-guard/recent-purchases.store.js';
import { lapseAll } from '../support/approvals.js';
import type { TestService } from '../support/service.js';

const START = Date.parse('2027-01-01T00:00:00.000Z');
const MINUTE_MS = 60_000;
/** After so many looks at settlements that are open the clock moves on by a minute. */
const LOOKS_PER_MINUTE = 100;

/** The time of a database whose clock can be set, and all that happens by itself as it goes by. */
export class Stage {
  private time = START;
  private query = '';

  constructor(private readonly service: TestService) {}

  /** In milliseconds since 1970. */
  get now(): number {
    return this.time;
  }

  /** Moves the clock on, and lets happen what is then due: nothing else changes by itself between quote and payment. */
  async moveTo(at: number): Promise<void> {
    const one = this.service;
    this.time = Math.max(this.time, at);
    await one.setClock(new Date(this.time));
    await lapseAll(one);
    await one.app.get(RecentPurchasesStore).forget();
  }

  /** Waits until the bank has had its say; what is to be asked for again later is, once the clock has moved on. */
  async settle(): Promise<void> {
    const open = `SELECT 1 FROM settlements WHERE status IN ('pending', 'processing') LIMIT 1`;
    for (let looks = 1; (await this.service.query(open)).length > 0; looks += 1) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      if (looks % LOOKS_PER_MINUTE === 0) await this.moveTo(this.time + MINUTE_MS);
    }
  }

  /**
   * How many rows each table has, and what stands in those that a decision changes. What rules on trial make of earlier
   * payments is noted behind them, at any time.
   */
  async census(): Promise<unknown> {
    const one = this.service;
    if (this.query === '') {
      const tables = await one.query<{ name: string }>(
        `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'
            AND tablename NOT IN ('test_clock', 'shadow_flips') ORDER BY 1`,
      );
      const counts = tables.map(({ name }) => `(SELECT count(*) FROM "${name}") AS "${name}"`);
      const contents = ['wallets', 'api_key_usage', 'wallet_paid_accounts'].map(
        (name) =>
          `(SELECT md5(string_agg(t::text, ' ' ORDER BY t::text)) FROM ${name} t) AS "what is in ${name}"`,
      );
      this.query = `SELECT ${[...counts, ...contents].join(', ')}`;
    }
    return (await one.query(this.query))[0];
  }
}
