import { loader } from '../parts/loading/loader.js';

export const loadShell = loader(() => import('../parts/frame/shell.js'));
export const loadSignIn = loader(() => import('../screens/sign-in/sign-in.js'));
export const loadHome = loader(() => import('../screens/home/home.js'));
export const loadWallet = loader(() => import('../screens/wallet/wallet.js'));
export const loadPayments = loader(() => import('../screens/payments/payments.js'));

/** The parts that are drawn first at `path`. */
function partsAt(path: string, isSignedIn: boolean): (() => Promise<unknown>)[] {
  if (!isSignedIn) return path === '/sign-up' ? [] : [loadSignIn];
  if (path === '/') return [loadShell, loadHome];
  if (path === '/payments') return [loadShell, loadPayments];
  return /^\/wallets\/[0-9a-f-]{36}$/.test(path) ? [loadShell, loadWallet] : [loadShell];
}

/** Loads them beside the app. What fails to load is loaded again when it is shown. */
export function loadFirstScreen(path: string, isSignedIn: boolean): void {
  for (const load of partsAt(path, isSignedIn)) load().catch(() => undefined);
}
