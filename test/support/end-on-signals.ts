import { rmSync } from 'node:fs';

/**
 * Ends the process by `process.exit` on Ctrl-C and SIGTERM. By default they end it without its `exit` listeners, and
 * the PostgreSQL and the services that it started would go on.
 */
export function endOnSignals(): void {
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
}

/** Removes a temporary folder when the process ends by `process.exit` before its end; the answer is what keeps it. */
export function removeAtExit(folder: string): () => void {
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.once('exit', remove);
  return () => void process.off('exit', remove);
}
