import { useEffect, useSyncExternalStore } from 'react';

/*
 * API keys that were made in this tab. They live in memory alone: a reload forgets them, which is said before it
 * happens as long as one was not stored elsewhere.
 */
const keys = new Map<string, string>();
const unstored = new Map<string, Unstored>();
const listeners = new Set<() => void>();

interface Unstored {
  readonly secret: string;
  /** The id of the key that it replaces. */
  readonly replaced?: string | undefined;
}

function changed(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** A key of this wallet is at hand, for test payments and snippets. */
export function rememberKey(walletId: string, key: string): void {
  keys.set(walletId, key);
  changed();
}

/** A key that pays no more is of no use for these. */
export function forgetKey(walletId: string, prefix: string): void {
  if (keys.get(walletId)?.startsWith(prefix)) keys.delete(walletId);
  changed();
}

export function rememberedKey(walletId: string): string {
  return keys.get(walletId) ?? '';
}

/** Under what a further key of a wallet is held until it is stored; the first one is under the wallet's id. */
export const keyOf = (walletId: string) => `key of ${walletId}`;

export const signingSecretOf = (endpointId: string) => `signing secret of ${endpointId}`;

/** As {@link rememberedKey}, and again whenever it changes. */
export function useRememberedKey(walletId: string): string {
  return useSyncExternalStore(subscribe, () => rememberedKey(walletId));
}

/** A secret that is shown this once; it stays at hand until {@link markStored}. */
export function holdUntilStored(id: string, secret: string, replaced?: string): void {
  unstored.set(id, { secret, replaced });
  changed();
}

export function markStored(id: string): void {
  unstored.delete(id);
  changed();
}

/** The secret that was not stored yet. */
export function useUnstored(id: string): string | undefined {
  return useSyncExternalStore(subscribe, () => unstored.get(id)?.secret);
}

/** The key that the one that was not stored yet replaces. */
export function useReplaced(id: string): string | undefined {
  return useSyncExternalStore(subscribe, () => unstored.get(id)?.replaced);
}

export function forgetKeys(): void {
  keys.clear();
  unstored.clear();
  changed();
}

/** True if leaving the page would lose a secret shown once. */
export const isSecretAtRisk = (): boolean => unstored.size > 0;

/** As {@link isSecretAtRisk}, and again whenever it changes. */
export function useSecretAtRisk(): boolean {
  return useSyncExternalStore(subscribe, isSecretAtRisk);
}

/** The browser asks before a reload or a closed tab loses a secret that was shown this once. */
export function useLeaveWarning(): void {
  const isAtRisk = useSecretAtRisk();
  useEffect(() => {
    if (!isAtRisk) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [isAtRisk]);
}
