import { Injectable } from '@nestjs/common';
import { In, IsNull } from 'typeorm';
import { Config, dashboardUrl } from '../../../platform/config.js';
import { Database } from '../../../platform/database/database.js';
import { AfterCommit } from '../../../platform/events/events.js';
import { laidOut } from '../../../platform/mail/letter.js';
import { Mail } from '../../../platform/mail/mail.js';
import { Operators } from '../../identity/operators/operators.port.js';
import { OperatorCase } from '../operations.entity.js';
import { CaseRaised } from '../operations.events.js';

@Injectable()
export class CaseMail {
  constructor(
    private readonly operators: Operators,
    private readonly database: Database,
    private readonly mail: Mail,
    private readonly config: Config,
  ) {}

  /** At least once. */
  @AfterCommit(CaseRaised)
  async tellOperators(raised: readonly CaseRaised[]): Promise<void> {
    if (!this.mail.isConfigured) return;
    const open = await this.database
      .repository(OperatorCase)
      .findBy({ id: In(raised.map(({ caseId }) => caseId)), closedAt: IsNull() });
    if (open.length === 0) return;
    const { OPERATOR_EMAIL: one } = this.config;
    const to = one ? [one] : (await this.operators.list()).map(({ email }) => email);
    for (const each of to) await this.mail.send(this.letter(each, open));
  }

  private letter(to: string, cases: readonly OperatorCase[]) {
    return laidOut({
      to,
      subject: cases.length === 1 ? `Case: ${cases[0]?.kind}` : `${cases.length} cases`,
      paragraphs: ['An operator must decide:'],
      facts: cases.map(({ kind, description }) => [kind, description] as const),
      action: { label: 'Open the cases', url: `${dashboardUrl(this.config)}/operator` },
    });
  }
}
