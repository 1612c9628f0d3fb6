import { ApiProperty, OmitType } from '@nestjs/swagger';
import {
  ApiListProperty,
  ApiObjectProperty,
  ApiTimeProperty,
  ApiIntegerProperty,
  OR_NULL,
  Success,
} from '../../platform/http/api/response-properties.js';
import { BacktestRequest, CountAndSum, DecisionChangeView } from './backtest.dto.js';
import type { TrialRules } from './shadow.entity.js';

export class ShadowRulesRequest extends OmitType(BacktestRequest, ['days']) {}

class ShadowTrial {
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'The rules of the trial; what is absent is as it is for the wallet.',
    example: { spendLimitPerTx: 30_000 },
  })
  rules: TrialRules;

  @ApiTimeProperty('When the trial began: attempts since then are evaluated.')
  since: Date;

  @ApiIntegerProperty('How many attempts were evaluated.', 120, { minimum: 0 })
  judged: number;

  @ApiObjectProperty(CountAndSum, 'Blocked, and would have been approved.')
  toApproved: CountAndSum;

  @ApiObjectProperty(CountAndSum, 'Approved, or waiting, and would have been blocked.')
  toBlocked: CountAndSum;

  @ApiListProperty(DecisionChangeView, 'The newest hundred attempts that would have been decided otherwise.')
  flips: readonly DecisionChangeView[];
}

class ShadowRulesState {
  @ApiObjectProperty(ShadowTrial, 'Null when there is no trial.', OR_NULL)
  shadow: ShadowTrial | null;
}

export class ShadowRulesResponse extends Success(ShadowRulesState) {}
