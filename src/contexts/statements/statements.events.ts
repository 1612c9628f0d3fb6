import { EventOf } from '../../kernel/event.js';

export class StatementMade extends EventOf<{
  readonly statementId: string;
  readonly accountId: string;
}>('statement.made') {}
