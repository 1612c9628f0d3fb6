import { turn } from '../batching/turns.js';
import type { SecretBox } from './secret-box.js';

const PAGE_SIZE = 500;
const COUNTED_MAX = 10_000;

/** Any one that opens is enough. */
export interface SealedSecrets {
  readonly owner: string;
  readonly sealed: readonly string[];
}

/** `isAll`: every owner was checked. */
export interface Unopenable {
  readonly count: number;
  readonly of: number;
  readonly isAll: boolean;
}

/** Counts secrets sealed under another key, among the first 10,000 owners. */
export async function countUnopenable(
  box: SecretBox,
  page: (after: string | null, limit: number) => Promise<readonly SealedSecrets[]>,
): Promise<Unopenable> {
  let [count, of] = [0, 0];
  let after: string | null = null;
  while (of < COUNTED_MAX) {
    const owners: readonly SealedSecrets[] = await page(after, PAGE_SIZE);
    await turn();
    count += owners.filter(
      ({ owner, sealed }) => !sealed.some((each) => box.open(each, owner) !== null),
    ).length;
    of += owners.length;
    after = owners.at(-1)?.owner ?? null;
    if (owners.length < PAGE_SIZE) return { count, of, isAll: true };
  }
  return { count, of, isAll: false };
}

export function unopenableInWords({ count, of, isAll }: Unopenable, owners: string): string {
  return `${count.toLocaleString('en')} of ${isAll ? '' : 'the first '}${of.toLocaleString('en')} ${owners}`;
}
