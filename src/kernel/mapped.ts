/**
 * `list.map(of)` that always makes a packed array, unlike V8's optimised `map`: else 1.4 times the CPU for a
 * client alone.
 */
export function mapped<From, To>(list: readonly From[], of: (each: From, index: number) => To): To[] {
  const made: To[] = [];
  for (let i = 0; i < list.length; i += 1) made.push(of(list[i] as From, i));
  return made;
}

/** The last of those with equal keys. */
export function distinctBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Row[] {
  return [...new Map(rows.map((row) => [keyOf(row), row])).values()];
}

/** Maps and drops undefined. Packed too. */
export function filterMap<From, To extends object>(
  list: readonly From[],
  of: (each: From, index: number) => To | undefined,
): To[] {
  const made: To[] = [];
  for (let i = 0; i < list.length; i += 1) {
    const one = of(list[i] as From, i);
    if (one !== undefined) made.push(one);
  }
  return made;
}
