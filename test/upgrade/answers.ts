import type { FundedWallet, WalletOwner } from '../support/wallet-owner.ts';
import type { Answer, Client, Sent } from './load.ts';

const WALLETS_MAX = 20;
const TRANSACTIONS_MAX = 100;
const REPEATS_MAX = 2_000;

/** A receipt is signed anew each time it is asked for. */
const RECEIPT = /"receipt":"[\w-]+\.([\w-]+)\.[\w-]+"/;

/** What an owner and an agent read, by address. */
export async function readAll(
  client: Client,
  owner: WalletOwner,
  wallets: readonly FundedWallet[],
  sent: readonly Sent[],
): Promise<Map<string, Answer>> {
  const answers = new Map<string, Answer>();
  const read = async (path: string, headers: Record<string, string>): Promise<void> => {
    const { status, text } = await client.get(path, headers);
    answers.set(path, {
      status,
      text: text.replace(RECEIPT, (_, signed: string) => `"receipt":${claimsOf(signed)}`),
    });
  };
  const asOwner = { authorization: `Bearer ${owner.token}` };
  for (const path of ['/v1/wallets', '/v1/stats/total', '/v1/transactions?limit=50', '/v1/approvals'])
    await read(path, asOwner);
  for (const { id, key } of wallets.slice(0, WALLETS_MAX)) {
    for (const path of ['', '/keys', '/payees', '/changes', '/transactions', '/ledgers', '/withdrawals'])
      await read(`/api/wallets/${id}${path}`, asOwner);
    for (const path of ['/transactions', '/stats', '/spend-by-day', '/low-balance-threshold'])
      await read(`/v1/wallets/${id}${path}`, asOwner);
    await read(`/api/wallets/${id}/ledgers.csv?limit=1000`, asOwner);
    await read(`/api/wallet?wallet=${id}`, { 'x-api-key': key });
  }
  for (const { wallet, answer } of every(sent, TRANSACTIONS_MAX)) {
    const id = transactionOf(answer);
    await read(`/v1/wallets/${wallet.id}/transactions/${id}`, asOwner);
    await read(`/api/payment-intent/${id}`, { 'x-api-key': wallet.key });
    await read(`/api/payment-intent/${id}/receipt`, { 'x-api-key': wallet.key });
  }
  return answers;
}

/** Sends earlier payments again under their keys, and names those that are answered otherwise. */
export async function repeatAll(
  client: Client,
  sent: readonly Sent[],
): Promise<{ asked: number; other: string[] }> {
  const other: string[] = [];
  const sample = every(sent, REPEATS_MAX);
  const queue = sample.values();
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (const { wallet, idempotencyKey, body, answer } of queue) {
        const again = await client.pay(wallet, idempotencyKey, body);
        // A repeat's hint says that it is one.
        const first = { ...answer, text: answer.text.replace(/,"hint":"[^"]*"/, '') };
        const difference = differs(first, again);
        if (difference) other.push(`payment ${idempotencyKey}: ${difference}`);
      }
    }),
  );
  return { asked: sample.length, other };
}

export function compareAll(
  before: ReadonlyMap<string, Answer>,
  after: ReadonlyMap<string, Answer>,
): string[] {
  return [...before].flatMap(([path, answer]) => {
    const difference = differs(answer, after.get(path) ?? { status: 0, text: '' });
    return difference ? [`GET ${path}: ${difference}`] : [];
  });
}

/** Where the later answer is not the earlier one. Members may be added, and a repeat says that it is one. */
function differs(before: Answer, after: Answer): string | undefined {
  if (before.status !== after.status)
    return `${before.status}, then ${after.status} ${after.text.slice(0, 200)}`;
  try {
    return lost(JSON.parse(before.text), JSON.parse(after.text), '');
  } catch {
    return before.text === after.text ? undefined : 'another text';
  }
}

function lost(before: unknown, after: unknown, at: string): string | undefined {
  if (typeof before !== 'object' || before === null)
    return Object.is(before, after)
      ? undefined
      : `${at} was ${JSON.stringify(before)}, is ${JSON.stringify(after)}`;
  if (Array.isArray(before) && (!Array.isArray(after) || after.length !== before.length))
    return `${at} is another list`;
  for (const [name, value] of Object.entries(before)) {
    const difference = lost(value, (after as Record<string, unknown> | null)?.[name], `${at}.${name}`);
    if (difference) return difference;
  }
  return undefined;
}

/** At most `max`, spread over all. */
function every<T>(all: readonly T[], max: number): T[] {
  const step = Math.max(1, Math.ceil(all.length / max));
  return all.filter((_, i) => i % step === 0);
}

function claimsOf(signed: string): string {
  const claims = JSON.parse(Buffer.from(signed, 'base64url').toString()) as object;
  return JSON.stringify({ ...claims, iat: undefined });
}

function transactionOf({ text }: Answer): string {
  return /"(?:transactionId|id)":"([0-9a-f-]{36})"/.exec(text)?.[1] ?? '';
}
