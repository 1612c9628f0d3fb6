export const URL_LENGTH_MAX = 2_048;

const DATABASE_PORTS: ReadonlySet<number> = new Set([
  1433, 1521, 2379, 3306, 5432, 5433, 5984, 6379, 6380, 7000, 7474, 8086, 8123, 9000, 9042, 9200, 9300, 11211,
  27017, 27018, 28015, 33060,
]);

/** Reason why `url` is not allowed, whatever its name resolves to; null if it is. */
export function urlProblem(text: string, httpsOnly: boolean): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url) return 'must be an absolute URL';
  // As sent: non-ASCII characters grow when encoded.
  if (url.href.length > URL_LENGTH_MAX) {
    return `must have at most ${URL_LENGTH_MAX} characters, with those that are not ASCII percent-encoded`;
  }
  if (httpsOnly && url.protocol !== 'https:') return 'must begin with https://';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with http:// or https://';
  if (url.username || url.password) return 'must not hold a user name or password';
  const port = url.port === '' ? 443 : Number(url.port);
  if (port < 1_024 && port !== 80 && port !== 443) return 'must use port 80, 443, or one from 1024 up';
  if (httpsOnly && DATABASE_PORTS.has(port)) return `must not use port ${port}: databases listen there`;
  return null;
}
