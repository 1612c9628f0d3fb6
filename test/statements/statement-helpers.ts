import { jest } from '@jest/globals';
import { PdfDrawing } from '../../src/contexts/statements/pdf-drawing.js';
import {
  type CreatedWallet,
  expectStatus,
  type TestService,
  type TestUser,
  until,
} from '../support/service.js';

export interface MadeStatement {
  readonly id: string;
  readonly walletId: string | null;
  readonly walletName: string | null;
  readonly month: string;
  readonly timeZone: string;
  readonly from: string;
  readonly to: string;
  readonly isFinal: boolean;
  readonly version: number;
  readonly status: 'waiting' | 'making' | 'done' | 'failed';
  readonly rows: number | null;
  readonly rowsDone: number;
  readonly figures: Record<'opening' | 'received' | 'paidOut' | 'refunded' | 'closing', number> | null;
  readonly files: Record<'pdf' | 'csv', { readonly bytes: number; readonly sha256: string }> | null;
  readonly signature: string | null;
  readonly problem: string | null;
}

interface Answered {
  readonly data: MadeStatement;
}

export const askFor = (service: TestService, { token }: TestUser, body: object) =>
  service.post<Answered>('/v1/statements', { token, body });

/** Leaves PDFs without pages until it is restored: drawing one takes more CPU than all else that a test does. */
export function withBlankPdfs() {
  const drawing = new BlankDrawing() as unknown as PdfDrawing;
  return jest.spyOn(PdfDrawing, 'start').mockReturnValue(drawing);
}

class BlankDrawing implements Pick<PdfDrawing, 'draw' | 'end' | 'close'> {
  draw = () => Promise.resolve(Buffer.alloc(0));
  end = () => Promise.resolve(Buffer.from('%PDF-1.7'));
  close = () => Promise.resolve();
}

async function read(service: TestService, { token }: TestUser, id: string): Promise<MadeStatement> {
  return expectStatus(200, await service.get<Answered>(`/v1/statements/${id}`, { token })).body.data;
}

/** The statement once it is done, or failed. */
export async function madeStatement(
  service: TestService,
  user: TestUser,
  month: string,
  walletId: string | null = null,
): Promise<MadeStatement> {
  const asked = expectStatus(202, await askFor(service, user, { month, walletId })).body.data;
  let statement = asked;
  await until(async () => {
    statement = await read(service, user, asked.id);
    return statement.status === 'done' || statement.status === 'failed';
  }, 60_000);
  return statement;
}

export interface Entry {
  readonly type: 'topup' | 'debit' | 'refund';
  readonly amount: number;
  readonly at: Date;
}

/** Writes entries straight into a wallet's ledger: history of any time. */
export async function book(
  service: TestService,
  { id }: Pick<CreatedWallet, 'id'>,
  entries: readonly Entry[],
): Promise<void> {
  let balance = 0;
  const rows = entries.map(({ type, amount, at }, i) => {
    balance += type === 'debit' ? -amount : amount;
    return { seq: i + 1, type, amount, balance, at };
  });
  await service.query(
    `INSERT INTO ledger_entries (wallet_id, seq, id, type, amount, balance_after, transaction_id, reference, created_at)
     SELECT $1, r.seq, gen_random_uuid(), r.type, r.amount, r.balance,
            CASE WHEN r.type <> 'topup' THEN gen_random_uuid() END, gen_random_uuid(), r.at
       FROM jsonb_to_recordset($2::jsonb) AS r (seq bigint, type text, amount bigint, balance bigint, at timestamptz)`,
    [id, JSON.stringify(rows)],
  );
}

export async function setZone(service: TestService, { token }: TestUser, timeZone: string): Promise<void> {
  expectStatus(200, await service.call('PUT', '/v1/time-zone', { token, body: { timeZone } }));
}

/** Lines of the CSV by column name. */
export async function csvOf(
  service: TestService,
  { token }: TestUser,
  id: string,
): Promise<Record<string, string>[]> {
  const { text } = expectStatus(200, await service.get(`/v1/statements/${id}/csv`, { token }));
  const [names = [], ...lines] = text
    .replace(/^\ufeff/, '')
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','));
  return lines.map((cells) => Object.fromEntries(names.map((name, i) => [name, cells[i] ?? ''])));
}
