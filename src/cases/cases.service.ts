import { Injectable, Logger } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import type { Tx } from '../shared/database.js';
import { InTransaction } from '../shared/events.js';
import { CaseOpened } from './cases.contract.js';

/** Keeps what a person must look at. */
@Injectable()
export class CasesService {
  private readonly log = new Logger(CasesService.name);

  @InTransaction(CaseOpened)
  async open(cases: readonly CaseOpened[], tx: Tx): Promise<void> {
    const opened = await tx.query<{ kind: string; subject: string; what: string }>(
      `INSERT INTO operator_cases (id, kind, subject, wallet_id, what, opened_at)
       SELECT c.*, clock_timestamp() FROM unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::text[]) c
       ON CONFLICT (kind, subject) DO NOTHING RETURNING kind, subject, what`,
      [
        cases.map(() => uuid()),
        cases.map(({ kind }) => kind),
        cases.map(({ subject }) => subject),
        cases.map(({ walletId }) => walletId),
        cases.map(({ what }) => what),
      ],
    );
    for (const each of opened) this.log.warn(each, 'a case for the operator');
  }
}
