/**
 * Returns what `read` finds in a successful response; anything else throws its error. A proxy may answer in place of
 * the service, in which case `read` finds nothing.
 */
export declare function answered<Data, Found>(request: Promise<{
    data?: Data;
    error?: unknown;
    response: Response;
}>, read: (data: Data) => Found | null | undefined, idempotencyKey?: string | null): Promise<{
    found: Found;
    response: Response;
}>;
