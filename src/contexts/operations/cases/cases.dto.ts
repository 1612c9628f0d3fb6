import { PageOf, PageQuery } from '../../../platform/http/api/pagination.js';
import { Parameter, uuidOf, WordParameter } from '../../../platform/http/api/query.js';
import {
  ApiBooleanProperty,
  ApiEnumProperty,
  ApiIdProperty,
  ApiIntegerProperty,
  ApiKoboProperty,
  ApiListProperty,
  ApiObjectProperty,
  ApiTextProperty,
  ApiTimeProperty,
  OR_NULL,
  Success,
} from '../../../platform/http/api/response-properties.js';
import { OPEN_TRANSFER_STATUSES, type OpenTransfer } from '../../funding/inbound-transfers.port.js';
import { LISTED_STATES, type ListedState } from '../../settlement/payouts.port.js';
import type { SettlementStatus } from '../../settlement/settlement.port.js';

const CASE_STATES = ['open', 'closed'] as const;
const PAYOUT_STATUSES: readonly SettlementStatus[] = [
  'pending',
  'processing',
  'succeeded',
  'failed',
  'reversed',
];
const EXAMPLE_ID = '019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f';

export class CasesQuery extends PageQuery {
  @WordParameter(CASE_STATES, 'Open ones oldest first, closed ones newest first.', 'open')
  readonly state: 'open' | 'closed' = 'open';
}

export class TransfersQuery extends PageQuery {
  @WordParameter(OPEN_TRANSFER_STATUSES, 'Only these.')
  readonly status: OpenTransfer['status'] | null = null;
}

export class PayoutsQuery extends PageQuery {
  @WordParameter(
    LISTED_STATES,
    '`returned` are those not refunded; `failed` and `paid` are sought among the newest 10,000.',
  )
  readonly state: ListedState | null = null;

  @Parameter(uuidOf, { description: 'Only this payout.', type: 'string', format: 'uuid' })
  readonly reference: string | null = null;
}

export class ShownCase {
  @ApiIdProperty('The case.')
  id: string;

  @ApiTextProperty('What happened.', 'payout-undone-after-success')
  kind: string;

  @ApiTextProperty('The reference, wallet, account number or day that it is about.', EXAMPLE_ID)
  subject: string;

  @ApiIdProperty('The wallet.', OR_NULL)
  walletId: string | null;

  @ApiTextProperty('What is known.', 'on record as succeeded; the bank now says reversed')
  description: string;

  @ApiIdProperty('The operator who deals with it.', OR_NULL)
  ownerId: string | null;

  @ApiTextProperty('The e-mail of that operator.', 'ada@example.ng', OR_NULL)
  owner: string | null;

  @ApiTimeProperty('When it was opened, or opened again.')
  openedAt: Date;

  @ApiTimeProperty('Null: open.', OR_NULL)
  closedAt: Date | null;
}

export class ShownTransfer {
  @ApiIdProperty('The transfer, as the acts take it.')
  id: string;

  @ApiEnumProperty(OPEN_TRANSFER_STATUSES, 'Why it waits.')
  status: OpenTransfer['status'];

  @ApiTextProperty("The bank's reference.", 'KPY-CA-9f2c1b')
  reference: string;

  @ApiKoboProperty('In hundredths of its currency.', 105_055)
  amount: number;

  @ApiTextProperty('Its currency.', 'NGN')
  currency: string;

  @ApiIdProperty('The wallet that it names.', OR_NULL)
  walletId: string | null;

  @ApiTextProperty('The account reference, as the bank sent it.', EXAMPLE_ID, OR_NULL)
  accountReference: string | null;

  @ApiTextProperty('Its narration.', 'Groceries', OR_NULL)
  narration: string | null;

  @ApiTextProperty('What is wrong with it.', 'no such wallet', OR_NULL)
  reason: string | null;

  @ApiTimeProperty('When it first came.')
  receivedAt: Date;
}

class PayoutStep {
  @ApiTextProperty('What happened.', 'settlement.succeeded')
  type: string;

  @ApiTextProperty('When.', '2026-11-21T06:30:00.000Z')
  at: string;

  @ApiObjectProperty(Object, 'The reason, or the amount.')
  detail: object;
}

export class ShownPayout {
  @ApiIdProperty('The payout: the id of its payment or withdrawal.')
  reference: string;

  @ApiIdProperty('The wallet.')
  walletId: string;

  @ApiKoboProperty('What is paid.', 105_055)
  amount: number;

  @ApiTextProperty('Who is paid.', '0123456789')
  accountNumber: string;

  @ApiTextProperty('The bank.', '058')
  bankCode: string;

  @ApiBooleanProperty('A withdrawal of the owner, not a payment.', false)
  isWithdrawal: boolean;

  @ApiEnumProperty(PAYOUT_STATUSES, 'As recorded.')
  status: SettlementStatus;

  @ApiBooleanProperty('The wallet has the money back.', false)
  isRefunded: boolean;

  @ApiTimeProperty('When it was approved.')
  approvedAt: Date;

  @ApiTimeProperty('When it was last submitted; null if never.', OR_NULL)
  submittedAt: Date | null;

  @ApiListProperty(PayoutStep, 'Its record.')
  steps: readonly PayoutStep[];
}

class BankWord {
  @ApiTextProperty(
    'What the bank says: `succeeded`, `failed`, `reversed`, `accepted`, `not-found`, `unknown`.',
    'succeeded',
  )
  kind: string;

  @ApiTextProperty('Why.', 'The destination bank sent the money back.', OR_NULL)
  reason: string | null;
}

export class BankWordResponse extends Success(BankWord, 'What the bank says now.') {}

class ShownJob {
  @ApiTextProperty('The job.', '1843')
  id: string;

  @ApiTextProperty('What it does.', 'settlement.poll')
  task: string;

  @ApiIntegerProperty('Attempts so far.', 25)
  attempts: number;

  @ApiIntegerProperty('Attempts in all.', 25)
  attemptsMax: number;

  @ApiTextProperty('Why the last one failed.', 'the bank did not answer', OR_NULL)
  lastError: string | null;

  @ApiTimeProperty('When the next attempt is due, unless it is given up.')
  runAt: Date;

  @ApiBooleanProperty('It runs no more by itself.', true)
  isGivenUp: boolean;
}

class ShownEndpoint {
  @ApiIdProperty('The endpoint.')
  id: string;

  @ApiIdProperty('Whose it is.')
  accountId: string;

  @ApiTextProperty('Where it leads; the rest of its URL may hold a secret.', 'hooks.adafoods.ng')
  host: string;

  @ApiEnumProperty(['enabled', 'disabled'], 'Whether deliveries are sent.')
  status: 'enabled' | 'disabled';

  @ApiTextProperty('Why it is disabled.', 'no answer for 5 days', OR_NULL)
  disabledReason: string | null;

  @ApiTimeProperty('Since when every attempt fails.', OR_NULL)
  failingSince: Date | null;

  @ApiTimeProperty('The last failure.', OR_NULL)
  lastFailedAt: Date | null;
}

class TotalView {
  @ApiIntegerProperty('How many.', 4, { minimum: 1 })
  count: number;

  @ApiKoboProperty('What they come to.', 160_000)
  amount: number;
}

class TransferTotal extends TotalView {
  @ApiEnumProperty(OPEN_TRANSFER_STATUSES, 'Why they wait.')
  status: OpenTransfer['status'];
}

class PayoutTotal extends TotalView {
  @ApiEnumProperty(PAYOUT_STATUSES, 'As recorded.')
  status: SettlementStatus;
}

export class CasesResponse extends PageOf(ShownCase) {}

export class TransfersResponse extends PageOf(ShownTransfer) {
  @ApiListProperty(TransferTotal, 'Of all pages, those in naira; null: 10,000 transfers or more.', OR_NULL)
  totals: readonly TransferTotal[] | null;
}

export class PayoutsResponse extends PageOf(ShownPayout) {
  @ApiListProperty(PayoutTotal, 'Of all pages; null: 10,000 payouts or more.', OR_NULL)
  totals: readonly PayoutTotal[] | null;
}

export class FailedJobsResponse extends PageOf(ShownJob) {}
export class FailingEndpointsResponse extends PageOf(ShownEndpoint) {}
