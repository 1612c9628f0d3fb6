import pg from 'pg';
import { AbstractLogger, DataSource } from 'typeorm';
import { MainJob1764000000000 } from '../../../migrations/1764000000000-main-job.js';
import { Payouts1764100000000 } from '../../../migrations/1764100000000-payouts.js';
import { BlockedTotals1764200000000 } from '../../../migrations/1764200000000-blocked-totals.js';
import { Reconciliation1764250000000 } from '../../../migrations/1764250000000-reconciliation.js';
import { OutboundWebhooks1764300000000 } from '../../../migrations/1764300000000-outbound-webhooks.js';
import { WebhookDeliveryNames1764480000000 } from '../../../migrations/1764480000000-webhook-delivery-names.js';
import { VolatileRateLimits1764430000000 } from '../../../migrations/1764430000000-volatile-rate-limits.js';
import { RunningTotals1764410000000 } from '../../../migrations/1764410000000-running-totals.js';
import { Accounts1764430000010 } from '../../../migrations/1764430000010-accounts.js';
import { InboundRecords1764450000000 } from '../../../migrations/1764450000000-inbound-records.js';
import { Jobs } from '../jobs/jobs.js';
import { watchedPool } from './data-source.js';
import { lock, MIGRATION_LOCK } from './migration-lock.js';
import {
  MIGRATION_LIMITS,
  MIGRATION_LOCK_MS_MAX,
  type MigrationLimits,
  runPending,
} from './migration-runs.js';
import { requireSameDatabase } from './same-database.js';
import { unusable } from './reach.js';
import { grantToService } from './service-role.js';
import { ApiKeys1764460000010 } from '../../../migrations/1764460000010-api-keys.js';
import { Approvals1764530000000 } from '../../../migrations/1764530000000-approvals.js';
import { Payees1764520000000 } from '../../../migrations/1764520000000-payees.js';
import { CoolingOff1764520000010 } from '../../../migrations/1764520000010-cooling-off.js';
import { WalletControls1764460000000 } from '../../../migrations/1764460000000-wallet-controls.js';
import { LimitedKeys1764510000010 } from '../../../migrations/1764510000010-limited-keys.js';
import { RecentPurchases1764510000020 } from '../../../migrations/1764510000020-recent-purchases.js';
import { PaymentRules1764510000000 } from '../../../migrations/1764510000000-payment-rules.js';
import { ReceiptKeys1764540000000 } from '../../../migrations/1764540000000-receipt-keys.js';
import { ShadowRules1764540000010 } from '../../../migrations/1764540000010-shadow-rules.js';
import { WebhookSignatures1764560000000 } from '../../../migrations/1764560000000-webhook-signatures.js';
import { ApprovalState1764570000000 } from '../../../migrations/1764570000000-approval-state.js';
import { ChecksOfHotTables1764580000000 } from '../../../migrations/1764580000000-checks-of-hot-tables.js';
import { WebhookDeliveryKeys1764590000000 } from '../../../migrations/1764590000000-webhook-delivery-keys.js';
import { WebhookTests1764590000010 } from '../../../migrations/1764590000010-webhook-tests.js';
import { InheritedAges1764600000000 } from '../../../migrations/1764600000000-inherited-ages.js';
import { ReceiptKeysBySecret1764730000000 } from '../../../migrations/1764730000000-receipt-keys-by-secret.js';
import { StepUp1764760000000 } from '../../../migrations/1764760000000-step-up.js';
import { ReturnedPayouts1764740000000 } from '../../../migrations/1764740000000-returned-payouts.js';
import { MerchantIdentities1764720000000 } from '../../../migrations/1764720000000-merchant-identities.js';
import { ComposedEmails1764720000010 } from '../../../migrations/1764720000010-composed-emails.js';
import { SuspendedAll1764760000010 } from '../../../migrations/1764760000010-suspended-all.js';
import { LimitedKeyLines1764780000000 } from '../../../migrations/1764780000000-limited-key-lines.js';
import { LimitedKeyHistories1764780000010 } from '../../../migrations/1764780000010-limited-key-histories.js';
import { BlockedAttemptLimits1764780000020 } from '../../../migrations/1764780000020-blocked-attempt-limits.js';
import { PayeesOfLimitedKeys1764780000030 } from '../../../migrations/1764780000030-payees-of-limited-keys.js';
import { BankAccessDenied1764790000050 } from '../../../migrations/1764790000050-bank-access-denied.js';
import { TransactionRequestIds1764800000000 } from '../../../migrations/1764800000000-transaction-request-ids.js';
import { SettlementRequestIds1764800000010 } from '../../../migrations/1764800000010-settlement-request-ids.js';
import { WebhookDeliveryRequestIds1764800000020 } from '../../../migrations/1764800000020-webhook-delivery-request-ids.js';
import { ReceiptKeyHistory1764800000100 } from '../../../migrations/1764800000100-receipt-key-history.js';
import { SettlementTraceParents1764830000000 } from '../../../migrations/1764830000000-settlement-trace-parents.js';
import { WebhookDeliveryTraceParents1764830000010 } from '../../../migrations/1764830000010-webhook-delivery-trace-parents.js';
import { RequestWindows1764810000000 } from '../../../migrations/1764810000000-request-windows.js';
import { Makers1764840000000 } from '../../../migrations/1764840000000-makers.js';
import { Members1764840000010 } from '../../../migrations/1764840000010-members.js';
import { LimitWarnings1764860000010 } from '../../../migrations/1764860000010-limit-warnings.js';
import { Notices1764860000000 } from '../../../migrations/1764860000000-notices.js';
import { UsersByAccount1764840000020 } from '../../../migrations/1764840000020-users-by-account.js';
import { AccountActivity1764840000030 } from '../../../migrations/1764840000030-account-activity.js';
import { ApprovalVotes1764840000040 } from '../../../migrations/1764840000040-approval-votes.js';
import { ArchivedSettlements1764820000000 } from '../../../migrations/1764820000000-archived-settlements.js';
import { LedgerCases1764850000000 } from '../../../migrations/1764850000000-ledger-cases.js';
import { Operators1764850000010 } from '../../../migrations/1764850000010-operators.js';
import { OpenTransfers1764850000020 } from '../../../migrations/1764850000020-open-transfers.js';
import { Runs1764870000000 } from '../../../migrations/1764870000000-runs.js';
import { Passkeys1764890000000 } from '../../../migrations/1764890000000-passkeys.js';
import { KeptActivity1764890000010 } from '../../../migrations/1764890000010-kept-activity.js';
import { ActivityByAge1764890000020 } from '../../../migrations/1764890000020-activity-by-age.js';
import { SecondApprovalOfKeys1764940000010 } from '../../../migrations/1764940000010-second-approval-of-keys.js';
import { TwoFactorDemands1764940000000 } from '../../../migrations/1764940000000-two-factor-demands.js';
import { SavedViews1764930000000 } from '../../../migrations/1764930000000-saved-views.js';
import { PaymentLabels1764950000000 } from '../../../migrations/1764950000000-payment-labels.js';
import { WebPush1764980000000 } from '../../../migrations/1764980000000-web-push.js';
import { PaymentNotesAndFiles1764950000010 } from '../../../migrations/1764950000010-payment-notes-and-files.js';
import { RequiredOfPayments1764870000010 } from '../../../migrations/1764870000010-required-of-payments.js';
import { ZonesOfAccounts1764990000000 } from '../../../migrations/1764990000000-zones-of-accounts.js';
import { ArchivedBodiesAndFacts1765005000000 } from '../../../migrations/1765005000000-archived-bodies-and-facts.js';
import { HomeVisits1764910000000 } from '../../../migrations/1764910000000-home-visits.js';
import { AccountTimeZones1764920000000 } from '../../../migrations/1764920000000-account-time-zones.js';
import { Statements1764920000010 } from '../../../migrations/1764920000010-statements.js';

/** Longest statement of a migration, in milliseconds. */
const STATEMENT_MS_MAX = 3_600_000;
const CONNECTIONS_MAX = 2;

const MIGRATIONS = [
  MainJob1764000000000,
  Payouts1764100000000,
  BlockedTotals1764200000000,
  Reconciliation1764250000000,
  OutboundWebhooks1764300000000,
  RunningTotals1764410000000,
  WebhookDeliveryNames1764480000000,
  VolatileRateLimits1764430000000,
  Accounts1764430000010,
  InboundRecords1764450000000,
  WalletControls1764460000000,
  ApiKeys1764460000010,
  PaymentRules1764510000000,
  LimitedKeys1764510000010,
  RecentPurchases1764510000020,
  Payees1764520000000,
  CoolingOff1764520000010,
  Approvals1764530000000,
  ReceiptKeys1764540000000,
  ShadowRules1764540000010,
  WebhookSignatures1764560000000,
  ApprovalState1764570000000,
  ChecksOfHotTables1764580000000,
  WebhookDeliveryKeys1764590000000,
  WebhookTests1764590000010,
  InheritedAges1764600000000,
  ReceiptKeysBySecret1764730000000,
  StepUp1764760000000,
  ReturnedPayouts1764740000000,
  MerchantIdentities1764720000000,
  ComposedEmails1764720000010,
  SuspendedAll1764760000010,
  LimitedKeyLines1764780000000,
  LimitedKeyHistories1764780000010,
  BlockedAttemptLimits1764780000020,
  PayeesOfLimitedKeys1764780000030,
  BankAccessDenied1764790000050,
  TransactionRequestIds1764800000000,
  SettlementRequestIds1764800000010,
  WebhookDeliveryRequestIds1764800000020,
  ReceiptKeyHistory1764800000100,
  SettlementTraceParents1764830000000,
  WebhookDeliveryTraceParents1764830000010,
  RequestWindows1764810000000,
  Makers1764840000000,
  Members1764840000010,
  UsersByAccount1764840000020,
  AccountActivity1764840000030,
  ApprovalVotes1764840000040,
  LedgerCases1764850000000,
  Operators1764850000010,
  OpenTransfers1764850000020,
  Notices1764860000000,
  LimitWarnings1764860000010,
  Runs1764870000000,
  RequiredOfPayments1764870000010,
  Passkeys1764890000000,
  KeptActivity1764890000010,
  ActivityByAge1764890000020,
  SavedViews1764930000000,
  PaymentLabels1764950000000,
  PaymentNotesAndFiles1764950000010,
  WebPush1764980000000,
  AccountTimeZones1764920000000,
  Statements1764920000010,
  ArchivedSettlements1764820000000,
  HomeVisits1764910000000,
  TwoFactorDemands1764940000000,
  SecondApprovalOfKeys1764940000010,
  ZonesOfAccounts1764990000000,
  ArchivedBodiesAndFacts1765005000000,
];

export type Applied =
  | { readonly migration: string; readonly durationMs: number }
  | { readonly migrations: number; readonly durationMs: number };

class QuietLogger extends AbstractLogger {
  private before = performance.now();

  constructor(private readonly applied: (applied: Applied) => void) {
    super();
  }

  override logSchemaBuild(message: string): void {
    const [, migration] = /^Migration (\w+) has been executed/.exec(message) ?? [];
    if (migration) this.applied({ migration, durationMs: Math.round(performance.now() - this.before) });
    this.before = performance.now();
  }

  protected override writeLog(): void {
    // It is thrown, too.
  }
}

export function migrationSource(
  url: string,
  only?: readonly string[],
  applied: (applied: Applied) => void = () => undefined,
): DataSource {
  return new DataSource({
    type: 'postgres',
    url,
    extra: {
      ...watchedPool(url, STATEMENT_MS_MAX),
      onConnect: (client: pg.ClientBase) => client.query(`SET lock_timeout = ${MIGRATION_LOCK_MS_MAX}`),
    },
    logger: new QuietLogger(applied),
    migrations: wanted(only),
    migrationsTransactionMode: 'each',
  });
}

export interface DatabaseUrls {
  readonly ownerUrl: string;
  /** Equal to `ownerUrl` if one role does both. */
  readonly serviceUrl: string;
}

/** Brings schema and job tables up to date and sets the service's rights. Cheap if nothing is to do. */
export async function migrate(
  urls: DatabaseUrls,
  warn: (line: string) => void,
  limits: Partial<MigrationLimits> = {},
  applied: (applied: Applied) => void = () => undefined,
): Promise<void> {
  await asOwner(urls, () => bringUpToDate(urls, warn, { ...MIGRATION_LIMITS, ...limits }, applied));
}

export function unknownMigrations(names: Iterable<string>): string[] {
  return [...names].filter((name) => !MIGRATIONS.some((known) => known.name === name));
}

const wanted = (only?: readonly string[]) => MIGRATIONS.filter(({ name }) => only?.includes(name) ?? true);

const NO_RIGHT = '42501';
const READ_ONLY = '25006';

const ownerSetting = ({ ownerUrl, serviceUrl }: DatabaseUrls): string =>
  serviceUrl === ownerUrl ? 'DATABASE_URL' : 'DATABASE_OWNER_URL';

export async function asOwner<T>(urls: DatabaseUrls, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, driverError } = error as { code?: string; driverError?: { code?: string } };
    const reason = code ?? driverError?.code;
    if (reason !== NO_RIGHT && reason !== READ_ONLY) throw error;
    const setting = ownerSetting(urls);
    const way =
      reason === READ_ONLY
        ? `set ${setting} to the URL of a server that takes changes`
        : 'set DATABASE_OWNER_URL to the URL of the role that owns the tables, or the database where there are none yet';
    throw new Error(`${unusable(setting, urls.ownerUrl, error).message}; ${way}`, { cause: error });
  }
}

async function bringUpToDate(
  urls: DatabaseUrls,
  warn: (line: string) => void,
  limits: MigrationLimits,
  applied: (applied: Applied) => void,
): Promise<void> {
  const { ownerUrl, serviceUrl } = urls;
  await withMigrationLock(
    urls,
    warn,
    async (client, pool) => {
      const isSame = () => requireSameDatabase(ownerUrl, serviceUrl, MIGRATION_LOCK);
      const wasLookedAt = await isSame();
      const done = await migrationsDone(client);
      const unknown = unknownMigrations(done);
      if (unknown.length > 0) warn(newerSchema(unknown));
      const isNew = done.size === 0;
      const startedAt = performance.now();
      if (!wanted(limits.only).every(({ name }) => done.has(name)))
        await runMigrations(ownerUrl, warn, limits, isNew ? undefined : applied);
      if (isNew)
        applied({
          migrations: wanted(limits.only).length,
          durationMs: Math.round(performance.now() - startedAt),
        });
      await Jobs.migrate(pool);
      if (serviceUrl !== ownerUrl) {
        await grantToService(client, serviceUrl, { isNewer: unknown.length > 0 });
        if (!wasLookedAt) await isSame();
      }
    },
    limits.turnMsMax,
  );
}

/** One process migrates at a time. */
export async function withMigrationLock(
  urls: DatabaseUrls,
  warn: (line: string) => void,
  work: (client: pg.PoolClient, pool: pg.Pool) => Promise<void>,
  waitMsMax = MIGRATION_LIMITS.turnMsMax,
): Promise<void> {
  const { ownerUrl } = urls;
  const pool = new pg.Pool({ ...watchedPool(ownerUrl, STATEMENT_MS_MAX), max: CONNECTIONS_MAX });
  // A lost connection fails its next statement.
  pool.on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined));
  try {
    const client = await pool.connect();
    try {
      await lock(client, warn, waitMsMax).catch((error: unknown) => {
        throw unusable(ownerSetting(urls), ownerUrl, error);
      });
      await work(client, pool);
    } finally {
      // Closing releases the lock.
      client.release(true);
    }
  } finally {
    await pool.end();
  }
}

/** Not refused: during a rollout old processes start on the new schema. */
const newerSchema = (unknown: readonly string[]): string =>
  `The schema is newer than this release, which knows nothing of ${unknown.join(', ')}. Start the release that made ` +
  'it, or a newer one, unless this one is just being replaced.';

async function migrationsDone(client: pg.PoolClient): Promise<Set<string>> {
  const table = await client.query(
    `SELECT FROM pg_tables WHERE schemaname = 'public' AND tablename = 'migrations'`,
  );
  if (table.rowCount === 0) return new Set();
  const { rows } = await client.query<{ name: string }>('SELECT name FROM migrations ORDER BY id');
  return new Set(rows.map(({ name }) => name));
}

async function runMigrations(
  url: string,
  warn: (line: string) => void,
  limits: MigrationLimits,
  applied?: (applied: Applied) => void,
): Promise<void> {
  const source = await migrationSource(url, limits.only, applied).initialize();
  try {
    await runPending(source, warn, limits);
  } finally {
    await source.destroy();
  }
}
