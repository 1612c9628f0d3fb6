const BROWSERS = ['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari', 'curl'];
const SYSTEMS = ['Windows', 'Android', 'iPhone', 'iPad', 'Mac OS', 'Linux'];
const NAMES: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera', 'Mac OS': 'macOS' };

/** What a client calls itself, as far as it means anything to a person. */
export function deviceOf(userAgent: string | null): string {
  const named = (words: readonly string[]) => {
    const found = words.find((word) => userAgent?.includes(word));
    return found && (NAMES[found] ?? found);
  };
  const parts = [named(BROWSERS), named(SYSTEMS)].filter(Boolean);
  return parts.length > 0 ? parts.join(' on ') : (userAgent?.slice(0, 60) ?? 'Unknown device');
}
