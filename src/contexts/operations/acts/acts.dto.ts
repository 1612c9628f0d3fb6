import { ApiField, EnumField, Optional, Text, Uuid } from '../../../platform/http/api/fields.js';
import { PageOf, PageQuery } from '../../../platform/http/api/pagination.js';
import { Parameter, textOf } from '../../../platform/http/api/query.js';
import {
  ApiEnumProperty,
  ApiIdProperty,
  ApiKoboProperty,
  ApiObjectProperty,
  ApiTextProperty,
  ApiTimeProperty,
  DoneResponse,
  OR_NULL,
  Success,
} from '../../../platform/http/api/response-properties.js';
import { type ActDetails, type ActName, ACTS } from './acts.domain.js';

export class ActRequestBody {
  @ApiField('What to do.', 'payout.refund')
  @EnumField(...ACTS)
  act: ActName;

  @ApiField(
    'What it is done to: the id of a transfer, payout, job, user, wallet or case. `case.note` notes the reason.',
    '019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f',
  )
  @Text(1, 200)
  subject: string;

  @ApiField('Why; on record for good.', 'The bank confirms that the money came back (ticket 1843).')
  @Text(3, 500)
  reason: string;

  @Optional()
  @ApiField('Of `transfer.credit`: the wallet that gets it.', '019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f')
  @Uuid()
  walletId?: string | null;

  @Optional()
  @ApiField("Of `payout.outcome`: the bank's word.", 'paid')
  @EnumField('paid', 'failed')
  outcome?: 'paid' | 'failed' | null;
}

export class ActsQuery extends PageQuery {
  @Parameter((query, field) => textOf(query, field, 200), {
    description: 'Only acts on this subject, or for this case.',
    type: 'string',
  })
  readonly subject: string | null = null;
}

export class ShownAct {
  @ApiIdProperty('The act.')
  id: string;

  @ApiTimeProperty('When it was done.')
  at: Date;

  @ApiIdProperty('Who did it, or proposed it; null for the command line.', OR_NULL)
  operatorId: string | null;

  @ApiTextProperty('The e-mail of that operator.', 'ada@example.ng', OR_NULL)
  operator: string | null;

  @ApiIdProperty('Who confirmed it; null where one operator may.', OR_NULL)
  confirmedBy: string | null;

  @ApiTextProperty('The e-mail of that operator.', 'bisi@example.ng', OR_NULL)
  confirmer: string | null;

  @ApiTextProperty('What was done.', 'payout.refund')
  act: string;

  @ApiTextProperty('What it was done to.', '019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f')
  subject: string;

  @ApiIdProperty('The case that it belongs to.', OR_NULL)
  caseId: string | null;

  @ApiKoboProperty('The money that it is about; null for none.', 105_055, OR_NULL)
  amount: number | null;

  @ApiTextProperty('Why.', 'The bank confirms that the money came back (ticket 1843).')
  reason: string;

  @ApiObjectProperty(Object, 'The state before.')
  before: object;

  @ApiObjectProperty(Object, 'The state after.')
  after: object;
}

export class ShownProposal {
  @ApiIdProperty('The proposal.')
  id: string;

  @ApiEnumProperty(ACTS, 'What is proposed.')
  act: ActName;

  @ApiTextProperty('What it would be done to.', '019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f')
  subject: string;

  @ApiObjectProperty(Object, '`walletId` or `outcome`, as proposed.')
  details: ActDetails;

  @ApiKoboProperty('The money that it is about.', 60_000_000)
  amount: number;

  @ApiTextProperty('Why.', 'The bank confirms that the money came back (ticket 1843).')
  reason: string;

  @ApiIdProperty('Who proposed it: another operator must confirm it.')
  proposedBy: string;

  @ApiTextProperty('The e-mail of that operator.', 'ada@example.ng', OR_NULL)
  proposer: string | null;

  @ApiTimeProperty('When it was proposed.')
  proposedAt: Date;

  @ApiTimeProperty('When it can no longer be confirmed.')
  expiresAt: Date;
}

class PerformedActView {
  @ApiObjectProperty(ShownAct, 'What was done; null while a second operator must confirm.', OR_NULL)
  act: ShownAct | null;

  @ApiObjectProperty(ShownProposal, 'What waits for a second operator; null otherwise.', OR_NULL)
  proposal: ShownProposal | null;
}

export class PerformedActResponse extends Success(PerformedActView, 'What was done or proposed.') {}

export class OperatorDoneResponse extends DoneResponse {}

export class ActsResponse extends PageOf(ShownAct) {}

export class ProposalsResponse extends PageOf(ShownProposal) {}

export function presentProposal({
  id,
  act,
  subject,
  details,
  amount,
  reason,
  proposedBy,
  proposer,
  proposedAt,
  expiresAt,
}: ShownProposal): ShownProposal {
  return { id, act, subject, details, amount, reason, proposedBy, proposer, proposedAt, expiresAt };
}
