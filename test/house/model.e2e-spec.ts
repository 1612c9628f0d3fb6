import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { Bank } from '../../src/contexts/bank/bank.port.js';
import { NameEnquiry } from '../../src/contexts/bank/name-enquiry.port.js';
import { carryOut } from '../model/carry-out.js';
import { expectSame, expectSamePages, expectSamePayees } from '../model/compare.js';
import { ACCOUNTS, BANK } from '../model/steps.js';
import { settings, story } from '../model/stories.js';
import { TOUR, TOURED } from '../model/tour.js';
import { FAILING_AMOUNT } from '../model/wallet.js';
import { Coverage, World } from '../model/world.js';
import { brokenInvariants } from '../support/invariants.js';
import { startService, type TestService } from '../support/service.js';

/** How many stories are told, the tour first, which meets all that must occur; more by hand, with MODEL_RUNS. */
const RUNS = Number(process.env.MODEL_RUNS ?? 5);
/** The invariants are asked of all wallets so far. */
const INVARIANTS_EVERY = 3;

let service: TestService;
/** The wallet of the run that is under way. */
let world: World | undefined;
beforeAll(async () => {
  service = await startService({ clock: true });
  // Else those who come at once would be decided in the order in which banks answer.
  for (const accountNumber of ACCOUNTS) {
    await service.app.get(NameEnquiry, { strict: false }).verify({ accountNumber, bankCode: BANK });
  }
  const bank = service.app.get(Bank, { strict: false });
  jest.spyOn(bank, 'startPayout').mockImplementation(async ({ amount }) => {
    await world?.bankMaySpeak;
    return amount === FAILING_AMOUNT
      ? { kind: 'failed', reason: 'an unlucky number' }
      : { kind: 'succeeded' };
  });
});
afterAll(async () => {
  jest.restoreAllMocks();
  await service.setClock(null);
  await service.close();
});

/** What a run over many wallets must have met: a rule that never decides anything is not compared. */
const MUST_OCCUR = [
  'approved',
  'waits',
  'INVALID_API_KEY',
  'WALLET_INACTIVE',
  'WALLET_EXPIRED',
  'SPEND_LIMIT_PER_TX_EXCEEDED',
  'SPEND_LIMIT_PER_PERIOD_EXCEEDED',
  'MERCHANT_NOT_ALLOWED',
  'INSUFFICIENT_FUNDS',
  ...[
    'expiry',
    'spendLimitPerTx',
    'spendLimitPeriod',
    'allowedMerchants',
    'payee',
    'totalCap',
    'maxPayments',
  ].map((limit) => `KEY_LIMIT_EXCEEDED ${limit}`),
  'PAYEE_NOT_ALLOWED',
  'PAYEE_NOT_ALLOWED unknown account',
  'COOLING_OFF',
  'POSSIBLE_DUPLICATE',
  // Rules that meet.
  'waits, with a limited key',
  'approve: approved, of a limited key',
  'deny: denied, of a limited key',
  'lapsed, of a limited key',
  'refunded, of a limited key',
  'second purchase confirmed',
  'POSSIBLE_DUPLICATE of what waits',
  'POSSIBLE_DUPLICATE because the request asked',
  'second purchase confirmed by a request that asked',
  'COOLING_OFF while something waits',
  // What owners are answered.
  'approve: approved',
  'approve: WALLET_INACTIVE',
  'deny: denied',
  'lapsed',
  'change: done',
  'change: VERSION_CONFLICT',
  'change: PERIOD_LIMIT_TOO_LOW',
  'change: EXPIRY_IN_PAST',
  'change: ALLOWLIST_REQUIRED',
  'change: WALLET_CLOSED',
  'suspend: done',
  'suspend all: both wallets',
  'suspend all: none',
  'resume: done',
  'close: done',
  'close: WALLET_NOT_EMPTY',
  'denied by closing',
  'make key: done',
  'make key: VALIDATION_ERROR',
  'rotate at once',
  'rotate with grace',
  'revoke key: done',
  'withdraw: done',
  'withdraw: INSUFFICIENT_FUNDS',
  'transfer out: done',
  'transfer out: INSUFFICIENT_FUNDS',
  'transfer in: done',
  'register payee: done',
];

describe('the service and a naive model of it', () => {
  it('agree on every decision, balance, key, statistic and page, whatever happens in whatever order', async () => {
    const coverage = new Coverage();
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(settings, story, fc.integer({ min: 1, max: 9 }), async (rules, steps, pageSize) => {
        world = await World.create(service, rules, coverage);
        for (const step of steps) {
          await carryOut(step, world);
          await expectSame(world);
        }
        await expectSamePages(world, pageSize);
        await expectSamePayees(world);
        runs += 1;
        if (runs % INVARIANTS_EVERY === 0) expect(await brokenInvariants(service)).toEqual({});
      }),
      { numRuns: RUNS, examples: [[TOURED, TOUR, 7]], unbiased: true, interruptAfterTimeLimit: 120_000 },
    );
    // On a machine that is too slow for all of it, what was met is compared all the same.
    if (runs >= RUNS) expect(coverage.missing(MUST_OCCUR, 1)).toEqual([]);
    expect(await brokenInvariants(service)).toEqual({});
  }, 200_000);
});
