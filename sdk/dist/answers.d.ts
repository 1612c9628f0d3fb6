/**
 * What `read` finds in the answer of a request that succeeded; everything else becomes an error of its class. Something
 * between the service and its client may answer in its place, a proxy's page of login for one: `read` finds nothing then.
 */
export declare function answered<Data, Found>(request: Promise<{
    data?: Data;
    error?: unknown;
    response: Response;
}>, read: (data: Data) => Found | null | undefined, idempotencyKey?: string | null): Promise<{
    found: Found;
    response: Response;
}>;
