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
    const [reopening, once] = [
      cases.filter(({ reopens }) => reopens),
      cases.filter(({ reopens }) => !reopens),
    ];
    this.insert(once, 'DO NOTHING', tx);
    this.insert(
      reopening,
      `DO UPDATE SET description = excluded.description, closed_at = NULL,
         opened_at = CASE WHEN c.closed_at IS NULL THEN c.opened_at ELSE excluded.opened_at END`,
      tx,
    );
  }

  private insert(cases: readonly CaseOpened[], onConflict: string, tx: Tx): void {
    if (cases.length === 0) return;
    // One statement may not touch a row twice: of several for one case the last one speaks.
    const last = [...new Map(cases.map((each) => [`${each.kind} ${each.subject}`, each])).values()];
    tx.write(
      `INSERT INTO operator_cases AS c (id, kind, subject, wallet_id, description, opened_at)
       SELECT n.*, clock_timestamp() FROM unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::text[]) n
       ON CONFLICT (kind, subject) ${onConflict}`,
      [
        last.map(() => uuid()),
        last.map(({ kind }) => kind),
        last.map(({ subject }) => subject),
        last.map(({ walletId }) => walletId),
        last.map(({ description }) => description),
      ],
    );
  }

  /** The log is what operators are woken by: it tells of cases that stand, and again when in doubt. */
  @AfterCommit(CaseOpened)
  alertOperators(cases: readonly CaseOpened[]): void {
    for (const each of cases) this.log.warn({ ...each }, 'a case for the operator');
  }
}
