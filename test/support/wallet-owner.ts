import { randomUUID } from 'node:crypto';

/** What a wallet is created with; the rest is as generous as it can be. */
export interface WalletRules {
  readonly spendLimitPerTx?: number;
  readonly spendLimitPeriod?: number;
}

/** A wallet, and the key that spends from it. */
export interface FundedWallet {
  readonly id: string;
  readonly key: string;
}

const KOBO_MAX = Number.MAX_SAFE_INTEGER;

/** A user of a running service who makes wallets, over HTTP like any other. */
export class WalletOwner {
  readonly token: string;
  readonly port: number;
  private readonly base: string;
  readonly userId: string;

  private constructor(port: number, userId: string, token: string) {
    this.port = port;
    this.base = `http://127.0.0.1:${port}`;
    this.userId = userId;
    this.token = token;
  }

  static async signUp(port: number): Promise<WalletOwner> {
    const base = `http://127.0.0.1:${port}`;
    const body = { email: `${randomUUID()}@example.com`, password: randomUUID(), accountType: 'developer' };
    const { data } = await post<{ data: { user: { id: string }; token: string } }>(
      `${base}/v1/auth/signup`,
      body,
    );
    return new WalletOwner(port, data.user.id, data.token);
  }

  /** The same user, at another replica. */
  at(port: number): WalletOwner {
    return new WalletOwner(port, this.userId, this.token);
  }

  async createWallet({
    spendLimitPerTx = KOBO_MAX,
    spendLimitPeriod = KOBO_MAX,
  }: WalletRules = {}): Promise<FundedWallet> {
    const body = {
      name: 'Agent',
      userId: this.userId,
      spendLimitPerTx,
      spendLimitPeriod,
      expiry: '2099-01-01T00:00:00Z',
    };
    const headers = { authorization: `Bearer ${this.token}` };
    type Created = { data: { wallet: { id: string }; apiKey: { fullKey: string } } };
    const { data } = await post<Created>(`${this.base}/api/wallets`, body, headers);
    return { id: data.wallet.id, key: data.apiKey.fullKey };
  }

  /** An endpoint that is sent these events of every wallet. */
  async subscribe(url: string, events: readonly string[]): Promise<void> {
    const headers = { authorization: `Bearer ${this.token}` };
    await post(`${this.base}/v1/webhook-endpoints`, { url, events }, headers);
  }

  /** Wallets with a balance that no run can spend. */
  async fundedWallets(count: number): Promise<FundedWallet[]> {
    const wallets: FundedWallet[] = [];
    while (wallets.length < count) {
      const wallet = await this.createWallet();
      await post(`${this.base}/api/webhooks`, transfer(wallet.id, 1e12, randomUUID()));
      wallets.push(wallet);
    }
    return wallets;
  }
}

/** The bank's webhook for `naira` that reached the account of a wallet. */
export function transfer(walletId: string, naira: number, reference: string): object {
  return {
    event: 'charge.success',
    data: {
      reference,
      amount: naira,
      currency: 'NGN',
      status: 'success',
      virtual_bank_account: { account_reference: walletId },
    },
  };
}

async function post<Answer>(
  url: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Answer;
}
