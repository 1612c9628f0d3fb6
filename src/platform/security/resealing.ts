import { turn } from '../batching/turns.js';
import type { SecretBox } from './secret-box.js';
import type { SealedSecrets } from './unopenable.js';

const PAGE_SIZE = 500;

export interface SealedRows {
  /** In order of owner, after `after`. */
  page(after: string | null, limit: number): Promise<readonly SealedSecrets[]>;
  /** Replaces each of `sealed` that is stored still by the one of `resealed` in its place. */
  replace(owner: string, sealed: readonly string[], resealed: readonly string[]): Promise<void>;
}

export interface Resealed {
  readonly rows: number;
  /** Rows sealed anew. */
  readonly resealed: number;
  /** Secrets that no master opens; they stay as they are. */
  readonly unopenable: number;
}

/** Seals under the newest master what an older one sealed. Safe beside a running service, and to repeat. */
export async function resealAll(
  box: SecretBox,
  stored: SealedRows,
  report: (rows: number) => void,
): Promise<Resealed> {
  const tally = { rows: 0, resealed: 0, unopenable: 0 };
  let page: readonly SealedSecrets[] = [];
  do {
    page = await stored.page(page.at(-1)?.owner ?? null, PAGE_SIZE);
    for (const { owner, sealed } of page) {
      const again = sealed.map((each) => box.reseal(each, owner));
      tally.unopenable += again.filter((each) => each === null).length;
      const resealed = sealed.map((each, i) => again[i] ?? each);
      if (resealed.every((each, i) => each === sealed[i])) continue;
      await stored.replace(owner, sealed, resealed);
      tally.resealed += 1;
    }
    tally.rows += page.length;
    report(tally.rows);
    await turn();
  } while (page.length === PAGE_SIZE);
  return tally;
}
