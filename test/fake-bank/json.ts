export type Json = Record<string, unknown>;

/** Parses JSON with every number as its source text; undefined when malformed. */
export function parseSource(text: string): unknown {
  const keep = (_key: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' ? context?.source : value;
  try {
    return JSON.parse(text, keep);
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A JSON number of exactly this text. */
export function rawNumber(text: string): object {
  return (JSON as unknown as { rawJSON(text: string): object }).rawJSON(text);
}

/** Decimal naira to kobo; null for what has more than two places or is no plain decimal. */
export function toKobo(text: unknown): bigint | null {
  const parts = typeof text === 'string' ? /^(\d+)(?:\.(\d{1,2})0*)?$/.exec(text) : null;
  return parts ? BigInt(parts[1]! + (parts[2] ?? '').padEnd(2, '0')) : null;
}

/** `1500.50`, as the bank prints amounts in strings. */
export function toNaira(kobo: bigint): string {
  const sign = kobo < 0n ? '-' : '';
  const digits = String(kobo < 0n ? -kobo : kobo).padStart(3, '0');
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** `1500.5`, as the bank prints amounts in numbers. */
export function toNumber(kobo: bigint): object {
  return rawNumber(toNaira(kobo).replace(/\.?0+$/, ''));
}
