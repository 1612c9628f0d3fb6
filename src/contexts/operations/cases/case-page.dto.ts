import {
  ApiListProperty,
  ApiObjectProperty,
  OR_NULL,
  Success,
} from '../../../platform/http/api/response-properties.js';
import { ShownAct, ShownProposal } from '../acts/acts.dto.js';
import { ShownCase, ShownPayout, ShownTransfer } from './cases.dto.js';
import { FoundUser, FoundWallet } from './find.dto.js';

class CasePage {
  @ApiObjectProperty(ShownCase, 'The case.')
  case: ShownCase;

  @ApiListProperty(ShownTransfer, 'Inbound transfers of its reference that wait for an operator.')
  transfers: readonly ShownTransfer[];

  @ApiObjectProperty(ShownPayout, 'The payout that it is about.', OR_NULL)
  payout: ShownPayout | null;

  @ApiObjectProperty(FoundWallet, 'The wallet that it is about.', OR_NULL)
  wallet: FoundWallet | null;

  @ApiListProperty(FoundUser, 'Who acts for the account of the wallet, at most 20.')
  users: readonly FoundUser[];

  @ApiListProperty(ShownProposal, 'What waits for a second operator.')
  proposals: readonly ShownProposal[];

  @ApiListProperty(ShownAct, 'The newest 100 acts and notes.')
  acts: readonly ShownAct[];
}

export class CasePageResponse extends Success(CasePage, 'The case with what belongs to it.') {}
