import { grouped } from '../money/money.js';

/** `1 attempt`, `1,204 attempts`. */
export function pluralize(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}
