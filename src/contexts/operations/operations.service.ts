import { Injectable, Logger } from '@nestjs/common';
import { newId } from '../../kernel/ids.js';
import { columnsOf } from '../../platform/database/columns.js';
import type { Tx } from '../../platform/database/tx.js';
import { AfterCommit, Events, InTransaction } from '../../platform/events/events.js';
import { CaseOpened, CaseRaised, CaseResolved } from './operations.events.js';

type Raised = Omit<CaseRaised, 'openedAt'> & { readonly openedAt: Date };

const CASE_COLUMNS = `c.id AS "caseId", c.kind, c.subject, c.wallet_id AS "walletId", c.description, c.opened_at AS "openedAt"`;

@Injectable()
export class CasesService {
  private readonly log = new Logger(CasesService.name);

  constructor(private readonly events: Events) {}

  @InTransaction(CaseOpened)
  async recordCases(opened: readonly CaseOpened[], tx: Tx): Promise<void> {
    const raised: Raised[] = await tx.query<Raised>(
      `INSERT INTO operator_cases AS c (id, kind, subject, wallet_id, description, opened_at)
       SELECT o.*, clock_timestamp() FROM unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::text[]) o
       ON CONFLICT DO NOTHING RETURNING ${CASE_COLUMNS}`,
      [opened.map(() => newId()), ...columnsOf(opened, 'kind', 'subject', 'walletId', 'description')],
    );
    for (const { kind, subject, description, reopens } of opened) {
      if (!reopens) continue;
      const [again] = await tx.query<Raised & { wasClosed: boolean }>(
        `UPDATE operator_cases c SET description = $3, closed_at = NULL,
                opened_at = CASE WHEN c.closed_at IS NULL THEN c.opened_at ELSE clock_timestamp() END
           FROM (SELECT id, closed_at IS NOT NULL AS was_closed FROM operator_cases
                  WHERE kind = $1 AND subject = $2 FOR UPDATE) o
          WHERE c.id = o.id RETURNING ${CASE_COLUMNS}, o.was_closed AS "wasClosed"`,
        [kind, subject, description],
      );
      if (again?.wasClosed) raised.push(again);
    }
    await this.events.publish(
      raised.map(
        ({ caseId, kind, subject, walletId, description, openedAt }) =>
          new CaseRaised({
            caseId,
            kind,
            subject,
            walletId,
            description,
            openedAt: openedAt.toISOString(),
          }),
      ),
      tx,
    );
  }

  @InTransaction(CaseResolved)
  closeCases(resolved: readonly CaseResolved[], tx: Tx): void {
    tx.write(
      `UPDATE operator_cases c SET closed_at = clock_timestamp(), description = c.description || '; ' || r.outcome
         FROM unnest($1::text[], $2::text[], $3::text[]) AS r (kind, subject, outcome)
        WHERE c.kind = r.kind AND c.subject = r.subject AND c.closed_at IS NULL`,
      columnsOf(resolved, 'kind', 'subject', 'outcome'),
    );
  }

  /** Alerting reads this log; in doubt, cases are logged again. */
  @AfterCommit(CaseOpened)
  alertOperators(cases: readonly CaseOpened[]): void {
    for (const each of cases) this.log.warn({ ...each }, 'a case for the operator');
  }
}
