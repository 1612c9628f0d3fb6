import { isSecretAtRisk } from '../session/secrets.js';

/** The script that this page began with: each release names another. */
const ENTRY = document.querySelector('script[type=module][src]')?.getAttribute('src') ?? null;

/** The page as the service has it now; null when it can't be reached. */
async function servedPage(): Promise<string | null> {
  try {
    const response = await fetch('/', { cache: 'no-store' });
    return response.ok ? await response.text() : null;
  } catch {
    return null;
  }
}

/**
 * Reloads a tab that was left open over a release: its chunks are gone. At most once from each release, so that two
 * that are served in turn don't keep it reloading, and not where it would lose a secret that was shown this once.
 */
export async function reloadIfStale(): Promise<void> {
  if (!ENTRY || isSecretAtRisk()) return;
  const page = await servedPage();
  if (page === null || page.includes(ENTRY)) return;
  const mark = `reloaded from ${ENTRY}`;
  if (sessionStorage.getItem(mark)) return;
  sessionStorage.setItem(mark, 'yes');
  window.location.reload();
}

/**
 * Reloads the page, unless that would leave the browser's own error page in its place, or lose a secret that was shown
 * this once.
 */
export async function reloadIfServed(): Promise<void> {
  if (isSecretAtRisk()) return;
  if ((await servedPage()) !== null) window.location.reload();
}
