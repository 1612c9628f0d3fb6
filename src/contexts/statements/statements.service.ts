import { Injectable } from '@nestjs/common';
import { AppError, validationError } from '../../kernel/errors.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import { Database } from '../../platform/database/database.js';
import { Users } from '../identity/identity.port.js';
import { Wallets } from '../wallet/wallet.port.js';
import { StatementMaker } from './statement-maker.service.js';
import type { StatementFormat } from './statements.domain.js';
import type { Statement } from './statements.entity.js';
import { StatementsStore } from './statements.store.js';

const VERSIONS_MAX = 10;
const OPEN_MAX = 50;

export interface NamedStatement extends Statement {
  /** Null: all wallets. */
  readonly walletName: string | null;
}

export interface StatementFile {
  readonly name: string;
  readonly pieces: AsyncGenerator<Buffer[], void>;
}

@Injectable()
export class StatementsService {
  constructor(
    private readonly store: StatementsStore,
    private readonly maker: StatementMaker,
    private readonly users: Users,
    private readonly wallets: Wallets,
    private readonly database: Database,
  ) {}

  /** Throws `VALIDATION_ERROR`, `WALLET_NOT_FOUND`, and `RATE_LIMITED`. */
  async request(accountId: string, walletId: string | null, month: string): Promise<NamedStatement> {
    const scopeId = walletId === null ? accountId : (await this.wallets.requireOwned(walletId, accountId)).id;
    const timeZone = await this.users.timeZoneOf(accountId);
    const { isFuture, ...time } = await this.store.month(month, timeZone);
    if (isFuture) throw validationError({ field: 'month', message: 'must not be in the future' });
    const statement = await this.database.transaction(async (tx) => {
      const versions = await this.store.versions(accountId, scopeId, month, tx);
      const [newest] = versions;
      if (newest && isCurrent(newest, timeZone)) return newest;
      await this.store.deleteFailed(accountId, scopeId, month, tx);
      if (versions.filter(({ status }) => status !== 'failed').length >= VERSIONS_MAX) {
        const message = `has ${VERSIONS_MAX} statements already, in several time zones: use one of them`;
        throw validationError({ field: 'month', message });
      }
      if ((await this.store.countOpen(accountId, tx)) >= OPEN_MAX) {
        throw new AppError(
          'RATE_LIMITED',
          `${OPEN_MAX} statements are being made. Try again when some are done.`,
          {
            retryAfterSeconds: 10,
          },
        );
      }
      const wanted = { ...time, accountId, scopeId, month, timeZone };
      return this.store.add(wanted, (newest?.version ?? 0) + 1, tx);
    });
    this.maker.wake();
    return (await this.named([statement]))[0] as NamedStatement;
  }

  async list(accountId: string, request: PageRequest): Promise<Page<NamedStatement>> {
    const { rows, total } = await this.store.page(accountId, request);
    return { rows: await this.named(rows), total };
  }

  /** Throws `STATEMENT_NOT_FOUND`. */
  async get(id: string, accountId: string): Promise<NamedStatement> {
    const statement = await this.store.find(id, accountId);
    if (!statement) throw new AppError('STATEMENT_NOT_FOUND', 'Statement not found.');
    return (await this.named([statement]))[0] as NamedStatement;
  }

  /** Throws `STATEMENT_NOT_FOUND`. */
  async file(id: string, accountId: string, format: StatementFormat): Promise<StatementFile> {
    const statement = await this.get(id, accountId);
    const size = format === 'pdf' ? statement.pdfBytes : statement.csvBytes;
    if (statement.status !== 'done' || size === null)
      throw new AppError('STATEMENT_NOT_FOUND', 'The statement is not made yet.');
    return { name: fileName(statement, format), pieces: this.store.chunks(statement.id, format, size) };
  }

  private async named(statements: readonly Statement[]): Promise<NamedStatement[]> {
    const names = await this.wallets.namesOf([...new Set(statements.map(({ scopeId }) => scopeId))]);
    return statements.map((each) => ({ ...each, walletName: names.get(each.scopeId) ?? null }));
  }
}

function isCurrent({ status, isFinal, timeZone }: Statement, zone: string): boolean {
  if (timeZone !== zone) return false;
  return status === 'waiting' || status === 'making' || (status === 'done' && isFinal);
}

export function fileName(
  { month, version, walletName }: Pick<NamedStatement, 'month' | 'version' | 'walletName'>,
  format: StatementFormat,
): string {
  return `statement-${month}-${walletName ?? 'all-wallets'}-v${version}.${format}`;
}
