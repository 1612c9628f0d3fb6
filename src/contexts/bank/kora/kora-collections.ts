import { createHash } from 'node:crypto';
import type { Collection, UnreadableCollection } from '../bank.port.js';
import { unavailable } from './kora-accounts.js';
import { pathSegment, type KoraHttp } from './kora-http.js';
import { isObject, textOf } from './kora-json.js';
import { chargedAccount, isAbout, readCharge } from './kora-read.js';

const PAGE_ROWS = 100;
const PAGES_MAX = 1_000;
/** More: the list itself has changed. */
const UNREADABLE_MAX = 20;
const REFERENCE_MAX = 200;
const DAY_MS = 24 * 60 * 60_000;

/**
 * Each row once, complete or an error. Kora's days are in an unnamed zone: one more is read at both
 * ends.
 */
export async function* listAccountCollections(
  http: KoraHttp,
  accountNumber: string,
  from: Date,
  to: Date,
): AsyncGenerator<Collection | UnreadableCollection> {
  const query = new URLSearchParams({
    account_number: accountNumber,
    start_date: day(from.getTime() - DAY_MS),
    end_date: day(to.getTime() + DAY_MS),
    limit: String(PAGE_ROWS),
  });
  const seen = new Set<string>();
  let accountReference: string | null = null;
  let unreadable = 0;
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const fresh = (await readPage(http, query, page)).filter(({ content }) => !seen.has(content));
    if (fresh.length === 0) return;
    for (const row of fresh) {
      seen.add(row.content);
      if (row.isUnreadable) {
        unreadable += 1;
        if (unreadable > UNREADABLE_MAX) throw tooManyUnreadable();
        yield { unreadable: row.reference };
        continue;
      }
      if (!row.money || (row.money.at && (row.money.at < from || row.money.at >= to))) continue;
      accountReference ??= await referenceOf(http, accountNumber, row.reference);
      yield { ...row.money, accountReference };
    }
  }
  throw unavailable({ kind: 'no-response', reason: `more than ${PAGES_MAX} pages of collections` });
}

interface Row {
  readonly reference: string;
  readonly content: string;
  readonly money: Omit<Collection, 'accountReference'> | null;
  readonly isUnreadable: boolean;
}

async function readPage(http: KoraHttp, query: URLSearchParams, page: number): Promise<Row[]> {
  const reply = await http.get(
    'collections',
    `/virtual-bank-account/transactions?${query.toString()}&page=${page}`,
  );
  const rows: unknown =
    reply.kind === 'answer' && reply.ok && isObject(reply.data) ? reply.data.transactions : undefined;
  if (!Array.isArray(rows)) throw unavailable(reply);
  return rows.map((row: unknown) => {
    const charge = readCharge(row);
    const named = isObject(row) ? textOf(row.reference) : null;
    const isUnreadable = charge.kind === 'unreadable' || named === null;
    const isUsable = named !== null && (!isUnreadable || named.length <= REFERENCE_MAX);
    const reference = isUsable ? named : digestOf(row);
    const money = charge.kind === 'money' ? charge.money : null;
    const content = JSON.stringify([reference, isUnreadable, money?.amount, money?.currency]);
    return { reference, content, money, isUnreadable };
  });
}

function digestOf(row: unknown): string {
  const digest = createHash('sha256').update(JSON.stringify(row)).digest('hex');
  return `a row without a reference, sha256 ${digest}`;
}

function tooManyUnreadable(): Error {
  const reason = `more than ${UNREADABLE_MAX} collections in the list can not be read`;
  return unavailable({ kind: 'no-response', reason });
}

/** Rows lack the account's reference; one charge has it. */
async function referenceOf(http: KoraHttp, accountNumber: string, chargeReference: string): Promise<string> {
  const segment = pathSegment(chargeReference);
  const reply = segment
    ? await http.get('collection', `/charges/${segment}`)
    : ({ kind: 'no-response', reason: 'a collection without a usable reference' } as const);
  const isAnswer = reply.kind === 'answer' && reply.ok && isAbout(reply.data, chargeReference);
  const account = isAnswer ? chargedAccount(reply.data) : null;
  if (!account || (account.accountNumber && account.accountNumber !== accountNumber))
    throw unavailable(reply);
  return account.accountReference;
}

function day(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
