import { Injectable, Logger } from '@nestjs/common';
import { newId } from '../../kernel/ids.js';
import type { Tx } from '../../platform/database/tx.js';
import { AfterCommit, InTransaction } from '../../platform/events/events.js';
import { OperatorCase } from './operations.entity.js';
import { CaseOpened, CaseResolved } from './operations.events.js';

@Injectable()
export class CasesService {
  private readonly log = new Logger(CasesService.name);

  @InTransaction(CaseOpened)
  async recordCases(opened: readonly CaseOpened[], tx: Tx): Promise<void> {
    const cases = tx.repository(OperatorCase);
    await cases
      .createQueryBuilder()
      .insert()
      .values(
        opened.map(({ kind, subject, walletId, description }) => ({
          id: newId(),
          kind,
          subject,
          walletId,
          description,
          openedAt: () => 'clock_timestamp()',
        })),
      )
      .orIgnore()
      .execute();
    for (const { kind, subject, description, reopens } of opened) {
      if (!reopens) continue;
      await cases
        .createQueryBuilder()
        .update()
        .set({
          description,
          openedAt: () => 'CASE WHEN closed_at IS NULL THEN opened_at ELSE clock_timestamp() END',
          closedAt: null,
        })
        .where({ kind, subject })
        .execute();
    }
  }

  @InTransaction(CaseResolved)
  closeCases(resolved: readonly CaseResolved[], tx: Tx): void {
    tx.write(
      `UPDATE operator_cases c SET closed_at = clock_timestamp(), description = c.description || '; ' || r.outcome
         FROM unnest($1::text[], $2::text[], $3::text[]) AS r (kind, subject, outcome)
        WHERE c.kind = r.kind AND c.subject = r.subject AND c.closed_at IS NULL`,
      [
        resolved.map(({ kind }) => kind),
        resolved.map(({ subject }) => subject),
        resolved.map(({ outcome }) => outcome),
      ],
    );
  }

  /** Alerting reads this log: open cases are logged again in doubt. */
  @AfterCommit(CaseOpened)
  alertOperators(cases: readonly CaseOpened[]): void {
    for (const each of cases) this.log.warn({ ...each }, 'a case for the operator');
  }
}
