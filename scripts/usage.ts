/**
 * The flags of the commands that run built code. They are read here before the build, and again by the command.
 * Node strips the types of this file: erasable syntax only.
 */
import { readCommandLine } from './flags.ts';

const WHICH_DATABASE = `Without DATABASE_URL it is the embedded PostgreSQL: that of the running service, or started for this run when none
is running.`;

export const RECONCILE = {
  help: `Compares the books of the bank with ours, credits what a lost webhook left behind, compares what each
wallet holds with what waits for approval of it, and opens cases for what a person must look at. Running it twice does nothing twice.

  npm run reconcile -- --from 2026-11-01 --to 2026-11-21 [--json]

  --from <day>   the first day
  --to <day>     the last day; days begin and end in Nigeria (UTC+1)
  --json         prints one JSON object instead of a table
  --help

The settings are those of the service (BANK_PROVIDER, DATABASE_URL, DATA_DIR, ...).
${WHICH_DATABASE}

Exit code: 0 the books agree, 2 there is something to look at, 1 it could not be done.
`,
  options: {
    from: { type: 'string' },
    to: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
  wrong: 1,
} as const;

export const REPLAY = {
  help: `Decides the recorded attempts of a wallet again by today's rules, on the facts that they were decided on, and names
every one that would end differently. It changes nothing.

  npm run replay -- --wallet 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f [--json]

  --wallet <id>   whose attempts
  --json          prints one JSON object instead of lines
  --help

${WHICH_DATABASE}

Exit code: 0 nothing would end differently, 2 something would, 1 it could not be done.
`,
  options: { wallet: { type: 'string' }, json: { type: 'boolean', default: false } },
  wrong: 1,
} as const;

export const RESEAL = {
  help: `Encrypts anew, under the newest secrets, what older ones of the settings encrypted: secrets of webhook endpoints and
of second factors, and the keys of receipts and of web push. It may run beside the service, and more than once.

  npm run reseal
  --help

The settings are those of the service: the newest secrets, and in JWT_SECRET_PREVIOUS, WEBHOOK_ENCRYPTION_KEY_PREVIOUS and
TWO_FACTOR_ENCRYPTION_KEY_PREVIOUS those of before.
${WHICH_DATABASE}

Exit code: 0 all is encrypted under the newest, 2 something could not be decrypted, 1 it could not be done.
`,
  options: {},
  wrong: 1,
} as const;

export const RECEIPT_KEYS = {
  help: `Lists the keys that sign receipts, has a new one sign, or revokes one.

  npm run receipt-keys
  npm run receipt-keys -- --rotate
  npm run receipt-keys -- --revoke kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k --reason 'the database was copied'

  --rotate            a new key signs from now on; receipts of before stay valid
  --revoke <kid>      no receipt under this key is valid any more; a new key signs where it did
  --reason <text>     with --revoke: why, which everybody can read at /.well-known/jwks.json
  --help

The settings are those of the service, JWT_SECRET above all.
${WHICH_DATABASE}
`,
  options: {
    rotate: { type: 'boolean', default: false },
    revoke: { type: 'string' },
    reason: { type: 'string' },
  },
} as const;

export const OPERATOR = {
  help: `Makes a user an operator of the service, ends that, or lists operators. Each grant is on record.

  npm run operator -- grant ada@example.ng --reason 'on duty from December'
  npm run operator -- revoke ada@example.ng
  npm run operator -- list

  --reason <text>   why, for the record
  --help

A user becomes an operator only with two-factor authentication. An act of more money than OPERATOR_FOUR_EYES_KOBO takes two
operators.
${WHICH_DATABASE}

Exit code: 0 done, 2 refused, 1 it could not be done.
`,
  options: { reason: { type: 'string' } },
  wrong: 1,
  words: null,
} as const;

export const MIGRATE = {
  help: `Brings the schema up to date, or takes its last migration back. The service does the first at every start.

  npm run migration:run
  npm run migration:revert     undoes the newest migration, and says first what would be lost

A revert is refused while a service is connected, and while rows would change their meaning: payments that wait for
approval would count as approved, keys with limits would spend without them.

  --lose-data   reverts although what it removes holds data
  --help

${WHICH_DATABASE}
`,
  options: { 'lose-data': { type: 'boolean', default: false } },
} as const;

export const PSQL = {
  help: `Opens psql on the service's database, as the role that owns it.

  npm run db:psql
  npm run db:psql -- --command 'SELECT count(*) FROM wallets'
  psql "$(npm run --silent db:psql -- --url)"     while the service runs

  --command <sql>   runs it and ends
  --url             prints the URL and ends; it holds the password
  --help

${WHICH_DATABASE}
`,
  options: { command: { type: 'string', short: 'c' }, url: { type: 'boolean', default: false } },
} as const;

export const RESET = {
  help: `Empties the service's database: every table is dropped and made anew. For development; refused in production
and while a service works on it.

  npm run db:reset -- --yes

  --yes    confirms it
  --help

Without DATABASE_URL it is the embedded PostgreSQL.
`,
  options: { yes: { type: 'boolean', default: false } },
} as const;

export const BACKUP = {
  help: `Writes everything that the database holds at one moment into one file, while the service goes on serving. The file is
a gzipped script for psql with a manifest and checksums; only npm is needed to make it and to restore it.

  npm run backup -- --to /backups/2026-11-28.sql.gz

  --to <file>   must not exist; it appears once it is whole, readable by its owner alone
  --help

Secrets are not in it: keep JWT_SECRET and the other settings apart.
${WHICH_DATABASE}

Exit code: 0 the backup is written, 1 there is none.
`,
  options: { to: { type: 'string' } },
} as const;

export const ARCHIVE = {
  help: `Moves bulky data of closed months out of the tables that payments work on into denser ones, where lists, downloads,
receipts, reconciliation and backups still read it: settlements that the bank has ended, bodies of inbound webhooks, and the facts
that attempts were decided on. It works beside a running service, in small transactions; after an interruption it goes on where it
stopped, and a second run moves nothing.

  npm run archive -- --before 2026-06
  npm run archive -- --before 2026-06 --dry-run

  --before <month>   moves what is from before this month begins (UTC); it began 90 days ago or earlier
  --dry-run          says what would move, and moves nothing
  --help

What is open stays: settlements and transfers that an operator or the bank has yet to end, payments that wait for approval. Start
it once all replicas run this release.
${WHICH_DATABASE}

Exit code: 0 nothing is left to move, 1 refused or failed.
`,
  options: { before: { type: 'string' }, 'dry-run': { type: 'boolean', default: false } },
} as const;

export const RESTORE = {
  help: `Restores a backup into a new database, brings its schema up to date, computes every balance, hold, ledger entry,
payment and settlement again and ends with a verdict in one line.

  DATA_DIR=.data-restored npm run restore -- --from /backups/2026-11-28.sql.gz
  npm run restore -- --check --from /backups/2026-11-28.sql.gz
  npm run restore -- --books

  --from <file>   what npm run backup wrote
  --check         reads the file, compares its checksums and ends; touches no database
  --books         computes the books of the database as it is, for instance after a point-in-time recovery; changes nothing
  --help

Refused while a service works on the database, and where any table holds a row. A damaged file changes nothing. Without
DATABASE_URL it is the embedded PostgreSQL, started for this run.

Exit code: 0 restored and the books agree, 2 the books are wrong, 1 refused or failed.
`,
  options: {
    from: { type: 'string' },
    check: { type: 'boolean', default: false },
    books: { type: 'boolean', default: false },
  },
  wrong: 1,
} as const;

const API_TYPES = {
  help: `Writes the types of the dashboard's API client and of the SDK from the service's OpenAPI document, and builds the SDK
into sdk/dist; tests compare them with their sources.

  npm run api-types
  --help
`,
  options: {},
} as const;

const USAGE = {
  reconcile: RECONCILE,
  replay: REPLAY,
  reseal: RESEAL,
  'receipt-keys': RECEIPT_KEYS,
  operator: OPERATOR,
  'migration:run': MIGRATE,
  'migration:revert': MIGRATE,
  'db:psql': PSQL,
  'db:reset': RESET,
  archive: ARCHIVE,
  backup: BACKUP,
  restore: RESTORE,
  'api-types': API_TYPES,
};

/** Ends the process here for `--help` and for what `command` does not know; else does nothing. */
export function checkFlags(command: keyof typeof USAGE, args: readonly string[]): void {
  const { help, options, wrong, words } = { wrong: 2, words: [], ...USAGE[command] };
  readCommandLine(help, options, words, args, wrong);
}
