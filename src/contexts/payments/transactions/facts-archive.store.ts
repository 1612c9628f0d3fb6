import { columnArchive } from '../../../platform/database/column-archive.js';

/** Each read unpacks all. */
const FACTS_PER_ROW = 50;

export const FACTS_ARCHIVE = columnArchive({
  table: 'transactions',
  column: 'facts',
  at: 'created_at',
  empty: 'null',
  isLeft: `json_typeof(t.facts) <> 'null'`,
  isOpen: `t.approval IS NOT DISTINCT FROM 'pending'`,
  archive: 'archived_facts',
  values: 'facts',
  perRow: FACTS_PER_ROW,
});
