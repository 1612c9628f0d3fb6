/**
 * The bound of an `LRUCache` that takes memory as it fills. Given a `max`, it takes all of it when it is made, which for
 * tens of thousands of entries costs a start of the service milliseconds and megabytes.
 */
export const growingTo = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 });
