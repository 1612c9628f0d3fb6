import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { newId } from '../../../kernel/ids.js';
import type { Kobo } from '../../../kernel/money.js';
import { type Page, PAGE_SIZE_MAX, type PageRequest } from '../../../kernel/page.js';
import { isUuid } from '../../../kernel/text.js';
import { Database } from '../../../platform/database/database.js';
import type { Tx } from '../../../platform/database/tx.js';
import { type ActRequest, PROPOSAL_HOURS } from './acts.domain.js';
import { OperatorAct, OperatorProposal } from './acts.entity.js';

const PROPOSAL_COLUMNS = `p.id, p.act, p.subject, p.details, p.amount, p.reason, p.proposed_by AS "proposedBy",
  p.proposed_at AS "proposedAt", p.expires_at AS "expiresAt", p.decision, p.decided_by AS "decidedBy",
  p.decided_at AS "decidedAt"`;
const COUNTED_MAX = 10_000;

@Injectable()
export class ActsStore {
  constructor(private readonly database: Database) {}

  async record(act: Omit<OperatorAct, 'id' | 'at'>, tx: Tx): Promise<OperatorAct> {
    const [row] = await tx.query<{ at: Date }>(`SELECT date_trunc('milliseconds', clock_timestamp()) AS at`);
    const recorded = { ...act, id: newId(), at: (row as { at: Date }).at };
    await tx.repository(OperatorAct).insert(recorded);
    return recorded;
  }

  async page(subject: string | null, { page, pageSize }: PageRequest): Promise<Page<OperatorAct>> {
    const [rows, total] = await this.database.reads.repository(OperatorAct).findAndCount({
      where: subject === null ? {} : [{ subject }, ...(isUuid(subject) ? [{ caseId: subject }] : [])],
      order: { at: 'DESC', id: 'DESC' },
      take: pageSize,
      skip: (page - 1) * pageSize,
    });
    return { rows, total };
  }

  /** Replaces an expired one. Null if one waits already. */
  async propose(
    { act, subject, details, reason }: ActRequest,
    amount: Kobo,
    operatorId: string,
    tx: Tx,
  ): Promise<OperatorProposal | null> {
    const [row] = await tx.query<OperatorProposal>(
      `INSERT INTO operator_proposals AS p (id, act, subject, details, amount, reason, proposed_by, proposed_at, expires_at)
       VALUES ($1, $2, $3, $4::jsonb, $5, $6, $7, clock_timestamp(), clock_timestamp() + $8 * interval '1 hour')
       ON CONFLICT (act, subject) WHERE decision IS NULL DO UPDATE SET id = excluded.id, details = excluded.details,
         amount = excluded.amount, reason = excluded.reason, proposed_by = excluded.proposed_by,
         proposed_at = excluded.proposed_at, expires_at = excluded.expires_at
        WHERE p.expires_at <= clock_timestamp()
       RETURNING ${PROPOSAL_COLUMNS}`,
      [newId(), act, subject, JSON.stringify(details), amount, reason, operatorId, PROPOSAL_HOURS],
    );
    return row ?? null;
  }

  async waiting({ page, pageSize }: PageRequest): Promise<Page<OperatorProposal>> {
    const which =
      'FROM operator_proposals p WHERE p.decision IS NULL AND p.expires_at > statement_timestamp()';
    const [count] = await this.database.reads.query<{ total: number }>(
      `SELECT count(*) AS total FROM (SELECT ${which} LIMIT $1) c`,
      [COUNTED_MAX],
    );
    const rows = await this.database.reads.query<OperatorProposal>(
      `SELECT ${PROPOSAL_COLUMNS} ${which} ORDER BY p.proposed_at, p.id LIMIT $1::bigint OFFSET $2::bigint`,
      [pageSize, (page - 1) * pageSize],
    );
    return { rows, total: count?.total ?? 0 };
  }

  waitingFor(subjects: readonly string[]): Promise<readonly OperatorProposal[]> {
    return this.database.reads.query<OperatorProposal>(
      `SELECT ${PROPOSAL_COLUMNS} FROM operator_proposals p
        WHERE p.decision IS NULL AND p.expires_at > statement_timestamp() AND p.subject = ANY ($1::text[])
        ORDER BY p.proposed_at, p.id LIMIT $2`,
      [subjects, PAGE_SIZE_MAX],
    );
  }

  actsOn(subjects: readonly string[], caseId: string): Promise<readonly OperatorAct[]> {
    return this.database.reads.repository(OperatorAct).find({
      where: [{ subject: In([...subjects]) }, { caseId }],
      order: { at: 'DESC', id: 'DESC' },
      take: PAGE_SIZE_MAX,
    });
  }

  async suspendedAmong(walletIds: readonly string[], tx: Tx): Promise<ReadonlySet<string>> {
    const rows = await tx.query<{ walletId: string; act: string }>(
      `SELECT DISTINCT ON (lower(subject)) lower(subject) AS "walletId", act FROM operator_acts
        WHERE act IN ('wallet.suspend', 'wallet.resume') AND lower(subject) = ANY ($1::text[])
        ORDER BY lower(subject), at DESC, id DESC`,
      [walletIds],
    );
    return new Set(rows.filter(({ act }) => act === 'wallet.suspend').map(({ walletId }) => walletId));
  }

  /** Until `tx` ends. Null unless it waits. */
  async lockWaiting(id: string, tx: Tx): Promise<OperatorProposal | null> {
    if (!isUuid(id)) return null;
    const [row] = await tx.query<OperatorProposal>(
      `SELECT ${PROPOSAL_COLUMNS} FROM operator_proposals p
        WHERE p.id = $1 AND p.decision IS NULL AND p.expires_at > clock_timestamp() FOR UPDATE`,
      [id],
    );
    return row ?? null;
  }

  async decide(id: string, decision: 'confirmed' | 'rejected', operatorId: string, tx: Tx): Promise<void> {
    await tx.query(
      `UPDATE operator_proposals SET decision = $2, decided_by = $3, decided_at = clock_timestamp() WHERE id = $1`,
      [id, decision, operatorId],
    );
  }
}
