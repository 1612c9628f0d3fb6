/*
 * API keys that were made in this tab, so that a payment can be tried right away. They live in memory alone: a
 * reload forgets them.
 */
const keys = new Map<string, string>();

export function rememberKey(walletId: string, key: string): void {
  keys.set(walletId, key);
}

export function rememberedKey(walletId: string): string {
  return keys.get(walletId) ?? '';
}

export function forgetKeys(): void {
  keys.clear();
}
