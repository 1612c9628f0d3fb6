/** A request of the HTTP API under the caller's key. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST';
  /** With its query. */
  readonly path: string;
  readonly body?: object;
  /** In lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ApiAnswer {
  readonly status: number;
  /** What its JSON holds. */
  readonly body: unknown;
  readonly header: (name: string) => string | undefined;
}

/**
 * The HTTP API of the service, as the holder of one wallet's key sees it. The tools stand on nothing else: what a
 * payment is checked for, how it is decided and what a refusal says is the same however it was asked for.
 */
export type WalletApi = (request: ApiRequest) => Promise<ApiAnswer>;
