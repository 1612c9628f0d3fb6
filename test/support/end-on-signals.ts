/**
 * Ends the process by `process.exit` on Ctrl-C and SIGTERM. By default they end it without its `exit` listeners, and
 * the PostgreSQL and the services that it started would go on.
 */
export function endOnSignals(): void {
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
}
