/** Bound for an `LRUCache` that grows: `max` would allocate everything at once. */
export const growingTo = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 });
