import { columnArchive } from '../../platform/database/column-archive.js';
import { IS_OPEN } from './inbound-transfers.store.js';

const BODIES_PER_ROW = 100;

export const BODIES_ARCHIVE = columnArchive({
  table: 'inbound_transfers',
  column: 'body',
  at: 'received_at',
  empty: '',
  isLeft: `t.status <> 'ignored' AND t.body <> ''`,
  isOpen: IS_OPEN,
  archive: 'archived_bodies',
  values: 'bodies',
  perRow: BODIES_PER_ROW,
});
