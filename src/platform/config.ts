import { plainToInstance, Transform } from 'class-transformer';
import {
  ArrayMaxSize,
  IsEmail,
  IsIn,
  IsNumber,
  IsOptional,
  Matches,
  Max,
  Min,
  MinLength,
  ValidateBy,
  ValidateIf,
  validateSync,
  type ValidationError,
} from 'class-validator';
import {
  FormerSecrets,
  IsPostgresUrl,
  IsServerUrl,
  IsWebUrl,
  NoOuterBlanks,
  Numbers,
  Share,
  WholeNumber,
} from './setting-rules.js';
import { OperatorSettings } from './operator-settings.js';
import { contradictions, missingInProduction } from './setting-conflicts.js';
import { areTrustedProxies, parseTrustedProxies, type TrustedProxies } from './security/trusted-proxies.js';

export const JWT_SECRET_LENGTH_MIN = 32;
const WEBHOOK_SECRET_LENGTH_MIN = 32;

const ForKora = () => ValidateIf(({ BANK_PROVIDER }: Config) => BANK_PROVIDER === 'kora');

function hasLiveKoraKey({ BANK_PROVIDER, KORA_SECRET_KEY = '' }: Config): boolean {
  return BANK_PROVIDER === 'kora' && KORA_SECRET_KEY.startsWith('sk_live_');
}

const RETRY_SECONDS = '$property must be 1 to 30 numbers of seconds from 0 to 604800, separated by commas';

/** Settings from environment variables; `.env.example` lists them with defaults. */
export class Config extends OperatorSettings {
  @IsIn(['development', 'test', 'production'])
  NODE_ENV: 'development' | 'test' | 'production' = 'development';

  @WholeNumber(0, 65_535)
  PORT = 3000;

  @NoOuterBlanks()
  HOST = '127.0.0.1';

  /** Past it, idle connections close first. */
  @WholeNumber(10, 100_000)
  HTTP_CONNECTIONS_MAX = 5_000;

  /**
   * Above a load balancer's idle time (600 s at Google's), so that the service never closes a connection in
   * use.
   */
  @WholeNumber(10, 3_600)
  HTTP_KEEP_ALIVE_SECONDS = 620;

  /** Seconds of service after SIGTERM, with `/health/ready` 503. Unset: 5 in production, else 0. */
  @IsOptional()
  @WholeNumber(0, 300)
  DRAIN_SECONDS?: number;

  /** Each keeps a connection. */
  @WholeNumber(1, 100_000)
  EVENT_STREAMS_MAX = 1_000;

  /** Serves Prometheus on `/metrics`. Unset: off. */
  @IsOptional()
  @WholeNumber(1, 65_535)
  METRICS_PORT?: number;

  @NoOuterBlanks()
  METRICS_HOST = '127.0.0.1';

  /** Collector of traces, read by scripts/tracing.mjs. Unset: off. */
  @IsOptional()
  @IsWebUrl('http://127.0.0.1:4318')
  OTEL_EXPORTER_OTLP_ENDPOINT?: string;

  @Share()
  OTEL_TRACES_SAMPLER_ARG = 1;

  @IsOptional()
  @IsPostgresUrl()
  DATABASE_URL?: string;

  /** Owner of the tables, for migrations. Unset: `DATABASE_URL` is both. */
  @IsOptional()
  @IsPostgresUrl()
  DATABASE_OWNER_URL?: string;

  /** Required for the embedded database in production. */
  @IsOptional()
  @IsIn(['embedded'])
  DATABASE?: 'embedded';

  /** Per process, jobs included. */
  @WholeNumber(5, 200)
  DATABASE_POOL_MAX = 20;

  /** Streaming replica that downloads read. Unset: they read the primary. */
  @IsOptional()
  @IsPostgresUrl()
  DATABASE_REPLICA_URL?: string;

  /** Past it, downloads read the primary. */
  @WholeNumber(1, 3_600)
  DATABASE_REPLICA_MAX_LAG_SECONDS = 5;

  /** `packets` is fast and knows private members of `pg`; `plain` is its twin without them. */
  @IsIn(['packets', 'plain'])
  DATABASE_WIRE: 'packets' | 'plain' = 'packets';

  @NoOuterBlanks()
  DATA_DIR = '.data';

  @IsOptional()
  @MinLength(JWT_SECRET_LENGTH_MIN)
  JWT_SECRET?: string;

  /** Verify and open still, as each list of this kind. */
  @FormerSecrets()
  JWT_SECRET_PREVIOUS: string[] = [];

  @IsIn(['sandbox', 'kora'])
  BANK_PROVIDER: 'sandbox' | 'kora' = 'sandbox';

  @ForKora()
  @Matches(/^sk_(test|live)_\S+$/, { message: '$property must begin with sk_test_ or sk_live_' })
  KORA_SECRET_KEY?: string;

  @ForKora()
  @IsWebUrl('https://api.korapay.com/merchant/api/v1')
  KORA_BASE_URL = 'https://api.korapay.com/merchant/api/v1';

  /** The operator's BVN, required for virtual accounts. */
  @ForKora()
  @Matches(/^\d{11}$/, { message: '$property must be 11 digits' })
  KORA_BVN?: string;

  /** Required with a live key. */
  @ValidateIf((config: Config) => config.KORA_ISSUING_BANK_CODE !== undefined || hasLiveKoraKey(config))
  @Matches(/^\d{3,6}$/, {
    message:
      '$property must be the code of the bank that issues virtual accounts, 3 to 6 digits; a live key needs it',
  })
  KORA_ISSUING_BANK_CODE?: string;

  @ForKora()
  @IsEmail()
  KORA_PAYOUT_EMAIL?: string;

  @IsOptional()
  @IsWebUrl('https://wallets.example.ng/api/webhooks/payouts')
  PAYOUT_WEBHOOK_URL?: string;

  /** Milliseconds. */
  @WholeNumber(100, 120_000)
  BANK_TIMEOUT_MS = 30_000;

  /** Seconds until the first poll; later ones back off. */
  @WholeNumber(1, 3_600)
  SETTLEMENT_POLL_SECONDS = 15;

  /** Paid payouts that the bank is asked for again, in case it took them back. */
  @WholeNumber(0, 100_000)
  PAID_PAYOUTS_CHECKED_PER_HOUR_MAX = 2_000;

  /** Seconds between samples of the books; 0: the daily check alone. */
  @WholeNumber(0, 3_600)
  INVARIANT_CHECK_SECONDS = 10;

  /** Set: inbound webhooks must be signed. */
  @IsOptional()
  @MinLength(WEBHOOK_SECRET_LENGTH_MIN)
  @NoOuterBlanks()
  WEBHOOK_SECRET?: string;

  @FormerSecrets()
  WEBHOOK_SECRET_PREVIOUS: string[] = [];

  @IsOptional()
  @IsIn(['allow'])
  WEBHOOK_UNSIGNED?: 'allow';

  /** Seconds between attempts. */
  @Numbers()
  @ArrayMaxSize(30, { message: RETRY_SECONDS })
  @IsNumber({}, { each: true, message: RETRY_SECONDS })
  @Min(0, { each: true, message: RETRY_SECONDS })
  @Max(604_800, { each: true, message: RETRY_SECONDS })
  WEBHOOK_RETRY_SECONDS: number[] = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

  /** Allows webhooks to private addresses. Unset: not in production. */
  @IsOptional()
  @IsIn(['true', 'false'])
  WEBHOOK_ALLOW_PRIVATE?: 'true' | 'false';

  /** Unset: derived from `JWT_SECRET`. */
  @IsOptional()
  @MinLength(32)
  WEBHOOK_ENCRYPTION_KEY?: string;

  @FormerSecrets()
  WEBHOOK_ENCRYPTION_KEY_PREVIOUS: string[] = [];

  /** Unset: mail is logged; in production not sent. */
  @IsOptional()
  @IsServerUrl('smtps://user:password@host:465 or smtp://host:587', ['smtp', 'smtps'])
  SMTP_URL?: string;

  @ValidateIf(({ SMTP_URL, MAIL_FROM }: Config) => SMTP_URL !== undefined || MAIL_FROM !== undefined)
  @IsEmail(
    { allow_display_name: true },
    { message: '$property must be like wallets@example.ng or Wallets <wallets@example.ng>' },
  )
  MAIL_FROM?: string;

  /** Base of links in mail; never taken from a request. */
  @ValidateIf(({ SMTP_URL, PUBLIC_URL }: Config) => SMTP_URL !== undefined || PUBLIC_URL !== undefined)
  @IsWebUrl('https://wallets.example.ng')
  PUBLIC_URL?: string;

  @Transform(({ value }: { value: unknown }) =>
    String(value)
      .split(',')
      .map((part) => part.trim()),
  )
  @ArrayMaxSize(100)
  @Matches(/^(\[[0-9a-f:.]+\]|[a-z0-9]([a-z0-9.-]*[a-z0-9])?)$/i, {
    each: true,
    message: '$property must be host names without ports, separated by commas',
  })
  MCP_ALLOWED_HOSTS: string[] = [];

  /** Unset: derived from `JWT_SECRET`. */
  @IsOptional()
  @MinLength(32)
  TWO_FACTOR_ENCRYPTION_KEY?: string;

  @FormerSecrets()
  TWO_FACTOR_ENCRYPTION_KEY_PREVIOUS: string[] = [];

  /** `off`, a number of hops, or networks of trusted proxies. */
  @Transform(({ value }: { value: unknown }) => parseTrustedProxies(String(value)))
  @ValidateBy({
    name: 'trustedProxies',
    validator: {
      validate: areTrustedProxies,
      defaultMessage: () =>
        '$property must be off, a count of proxies from 1 to 10, or networks such as 10.0.0.0/8,fd00::/8',
    },
  })
  TRUST_PROXY: TrustedProxies = 'off';

  @WholeNumber(90, 36_500)
  ACTIVITY_KEPT_DAYS = 730;

  @WholeNumber(1, 1_048_576)
  ACCOUNT_FILES_MIB_MAX = 2_048;

  /** Per e-mail and address in 15 minutes. */
  @WholeNumber(1, 1_000_000)
  LOGIN_FAILURES_MAX = 20;

  /** Per address in 15 minutes. */
  @WholeNumber(1, 1_000_000)
  LOGIN_FAILURES_PER_ADDRESS_MAX = 200;

  /** Per address and minute. */
  @WholeNumber(1, 1_000_000)
  SIGNUPS_PER_MINUTE_MAX = 1_000;

  /** Requests of a session's user, over all replicas; 0: any number, as with each limit on requests. */
  @WholeNumber(0, 1_000_000)
  USER_REQUESTS_PER_SECOND_MAX = 1_000;

  /** Requests of an API key other than payment intents. */
  @WholeNumber(0, 1_000_000)
  KEY_REQUESTS_PER_SECOND_MAX = 1_000;

  /** Payment intents of an API key. */
  @WholeNumber(0, 1_000_000)
  KEY_PAYMENTS_PER_SECOND_MAX = 0;

  /** Stored per key and minute. Payments that pass do not count. */
  @WholeNumber(1, 1_000_000)
  BLOCKED_ATTEMPTS_PER_MINUTE_MAX = 600;
}

export class ConfigError extends Error {
  constructor(complaints: readonly string[]) {
    const [first = ''] = complaints;
    super(
      complaints.length === 1 ? first : `${complaints.length} settings are wrong:\n${complaints.join('\n')}`,
    );
  }
}

/** An empty variable counts as unset. Throws {@link ConfigError} with everything that is wrong. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const config = plainToInstance(Config, given);
  const complaints = [
    ...validateSync(config, { whitelist: true }).map(complaintOf),
    ...contradictions(config),
    ...(given.NODE_ENV === 'production' ? missingInProduction(given, config) : []),
  ];
  if (complaints.length > 0) throw new ConfigError(complaints);
  if (config.BANK_PROVIDER === 'kora') config.WEBHOOK_SECRET ??= config.KORA_SECRET_KEY;
  return config;
}

/** Without a slash at the end. Never from a request's host, which could redirect mailed links. */
export function dashboardUrl({ PUBLIC_URL, PORT }: Config): string {
  return (PUBLIC_URL ?? `http://127.0.0.1:${PORT}`).replace(/\/+$/, '');
}

/** Not an IP address: browsers keep no passkeys for one. */
export function passkeyOrigin({ PUBLIC_URL, PORT }: Config): URL {
  return new URL(PUBLIC_URL ?? `http://localhost:${PORT}`);
}

function complaintOf({ property, constraints = {} }: ValidationError): string {
  const [broken = ''] = Object.values(constraints);
  return `${property}: ${broken.replace(`in ${property} `, '').replace(`${property} `, '')}`;
}
