import { Injectable } from '@nestjs/common';
import { validationError } from '../../kernel/errors.js';
import { localTimes } from '../../kernel/time.js';
import { Users } from '../identity/identity.port.js';
import { type LedgerLine, LedgerPeriods } from '../ledger/ledger.port.js';
import { Wallets } from '../wallet/wallet.port.js';
import { StatementsStore } from './statements.store.js';

const LINES_PAGE = 500;

export interface MonthOfLines {
  readonly local: (at: Date) => string;
  readonly pages: AsyncGenerator<readonly LedgerLine[], void>;
}

@Injectable()
export class BookkeepingService {
  constructor(
    private readonly statements: StatementsStore,
    private readonly ledger: LedgerPeriods,
    private readonly wallets: Wallets,
    private readonly users: Users,
  ) {}

  /** Throws `VALIDATION_ERROR` and `WALLET_NOT_FOUND`. */
  async month(accountId: string, walletId: string | null, month: string): Promise<MonthOfLines> {
    const ids =
      walletId === null
        ? await this.wallets.idsOwnedBy(accountId)
        : [(await this.wallets.requireOwned(walletId, accountId)).id];
    const timeZone = await this.users.timeZoneOf(accountId);
    const { startsAt, endsAt, isFuture } = await this.statements.month(month, timeZone);
    if (isFuture) throw validationError({ field: 'month', message: 'must not be in the future' });
    return { local: localTimes(timeZone), pages: this.lines(ids, startsAt, endsAt) };
  }

  private async *lines(
    ids: readonly string[],
    from: Date,
    to: Date,
  ): AsyncGenerator<readonly LedgerLine[], void> {
    for (const period of await this.ledger.between(ids, from, to)) {
      for (let after = period.after; after < period.upTo;) {
        const lines = await this.ledger.lines({ ...period, after }, LINES_PAGE);
        if (lines.length === 0) throw new Error(`the ledger of ${period.walletId} lacks ${after + 1}`);
        yield lines;
        after += lines.length;
      }
    }
  }
}
