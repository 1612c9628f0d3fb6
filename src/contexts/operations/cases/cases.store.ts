import { Injectable } from '@nestjs/common';
import { IsNull, Not } from 'typeorm';
import type { Page, PageRequest } from '../../../kernel/page.js';
import { isUuid } from '../../../kernel/text.js';
import { Database } from '../../../platform/database/database.js';
import type { Tx } from '../../../platform/database/tx.js';
import { OperatorCase } from '../operations.entity.js';
import type { CaseOpened } from '../operations.events.js';

const SUBJECTS_MAX = 1_000;

@Injectable()
export class CasesStore {
  constructor(private readonly database: Database) {}

  /** Open ones oldest first, closed ones newest first. */
  async page(isOpen: boolean, { page, pageSize }: PageRequest): Promise<Page<OperatorCase>> {
    const order = isOpen ? 'ASC' : 'DESC';
    const [rows, total] = await this.database.reads.repository(OperatorCase).findAndCount({
      where: { closedAt: isOpen ? IsNull() : Not(IsNull()) },
      order: { openedAt: order, id: order },
      take: pageSize,
      skip: (page - 1) * pageSize,
    });
    return { rows, total };
  }

  async of(id: string): Promise<OperatorCase | null> {
    return isUuid(id) ? this.database.reads.repository(OperatorCase).findOneBy({ id }) : null;
  }

  async subjectsOf(kind: CaseOpened['kind']): Promise<readonly string[]> {
    const cases = await this.database.reads.repository(OperatorCase).find({
      select: { subject: true },
      where: { kind, closedAt: IsNull() },
      take: SUBJECTS_MAX,
    });
    return cases.map(({ subject }) => subject);
  }

  async lock(id: string, tx: Tx): Promise<OperatorCase | null> {
    if (!isUuid(id)) return null;
    return tx.repository(OperatorCase).findOne({ where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  /** The newest of these kinds, open or closed. */
  async idOf(kinds: readonly string[], subject: string, tx: Tx): Promise<string | null> {
    const [row] = await tx.query<{ id: string }>(
      `SELECT id FROM operator_cases WHERE kind = ANY ($1::text[]) AND subject = $2 ORDER BY opened_at DESC LIMIT 1`,
      [kinds, subject],
    );
    return row?.id ?? null;
  }

  /** False if it is unknown or closed. */
  async assign(id: string, ownerId: string): Promise<boolean> {
    if (!isUuid(id)) return false;
    const { affected } = await this.database
      .repository(OperatorCase)
      .update({ id, closedAt: IsNull() }, { ownerId });
    return affected === 1;
  }
}
