export class StatementMade {
  static readonly type = 'statement.made';
  readonly statementId: string;
  readonly accountId: string;

  constructor(payload: StatementMade) {
    Object.assign(this, payload);
  }
}
