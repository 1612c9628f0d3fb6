import { Injectable, Logger } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import type { Tx } from '../../platform/database/database.js';
import { AfterCommit, InTransaction } from '../../platform/events/events.js';
import { CaseOpened } from './operations.events.js';

/** Keeps what a person must look at, and tells of it. */
@Injectable()
export class CasesService {
  private readonly log = new Logger(CasesService.name);

  @InTransaction(CaseOpened)
  recordCases(cases: readonly CaseOpened[], tx: Tx): void {
    tx.write(
      `INSERT INTO operator_cases (id, kind, subject, wallet_id, what, opened_at)
       SELECT c.*, clock_timestamp() FROM unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::text[]) c
       ON CONFLICT (kind, subject) DO NOTHING`,
      [
        cases.map(() => uuid()),
        cases.map(({ kind }) => kind),
        cases.map(({ subject }) => subject),
        cases.map(({ walletId }) => walletId),
        cases.map(({ what }) => what),
      ],
    );
  }

  /** The log is what operators are woken by: it tells of cases that stand, and again when in doubt. */
  @AfterCommit(CaseOpened)
  alertOperators(cases: readonly CaseOpened[]): void {
    for (const each of cases) this.log.warn({ ...each }, 'a case for the operator');
  }
}
