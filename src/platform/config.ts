import { applyDecorators } from '@nestjs/common';
import { plainToInstance, Transform } from 'class-transformer';
import {
  ArrayMaxSize,
  IsEmail,
  IsIn,
  IsNumber,
  IsOptional,
  IsUrl,
  Matches,
  Max,
  Min,
  MinLength,
  ValidateBy,
  ValidateIf,
  validateSync,
  type ValidationError,
} from 'class-validator';
import { areTrustedProxies, parseTrustedProxies, type TrustedProxies } from './security/trusted-proxies.js';

export const JWT_SECRET_LENGTH_MIN = 32;

const WholeNumber = (min: number, max: number) =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => (/^\d+$/.test(String(value)) ? Number(value) : value)),
    ValidateBy({
      name: 'wholeNumber',
      validator: {
        validate: (value: unknown) => Number.isInteger(value) && Number(value) >= min && Number(value) <= max,
        defaultMessage: () => `$property must be a whole number from ${min} to ${max}`,
      },
    }),
  );

/** A URL that can be used as it stands, so with its protocol. */
const IsUrlLike = (example: string, protocols: string[]) =>
  IsUrl(
    { protocols, require_protocol: true, require_tld: false },
    { message: `$property must be like ${example}` },
  );

const IsWebUrl = (example: string) => IsUrlLike(example, ['http', 'https']);

const IsPostgresUrl = () =>
  IsUrlLike(
    'postgres://user:password@host:5432/database; in the password, @ is written %40, : %3A, / %2F, # %23 and % %25',
    ['postgres', 'postgresql'],
  );

const ForKora = () => ValidateIf(({ BANK_PROVIDER }: Config) => BANK_PROVIDER === 'kora');

function hasLiveKoraKey({ BANK_PROVIDER, KORA_SECRET_KEY = '' }: Config): boolean {
  return BANK_PROVIDER === 'kora' && KORA_SECRET_KEY.startsWith('sk_live_');
}

/** `5,300,1800` as numbers; what is no number becomes one that no rule accepts. */
const Numbers = () =>
  Transform(({ value }: { value: unknown }) =>
    String(value)
      .split(',')
      .map((part) => (/^\s*\d+(\.\d+)?\s*$/.test(part) ? Number(part) : NaN)),
  );

/** For texts of any form: no message shows a blank around one, such as the line end that a file leaves behind a secret. */
const NoOuterBlanks = () =>
  Matches(/^\S(.*\S)?$/s, { message: '$property must not begin or end with a blank or a line end' });

const RETRY_SECONDS = '$property must be 1 to 30 numbers of seconds from 0 to 604800, separated by commas';

/** The settings of the service, from environment variables alone. `.env.example` lists each with its default. */
export class Config {
  @IsIn(['development', 'test', 'production'])
  NODE_ENV: 'development' | 'test' | 'production' = 'development';

  @WholeNumber(0, 65_535)
  PORT = 3000;

  @NoOuterBlanks()
  HOST = '127.0.0.1';

  /** Connections that are open at once; past it those that keep their request to themselves are closed first. */
  @WholeNumber(10, 100_000)
  HTTP_CONNECTIONS_MAX = 5_000;

  /** Streams of server-sent events that are open at once; each keeps a connection. */
  @WholeNumber(1, 100_000)
  EVENT_STREAMS_MAX = 1_000;

  @IsIn(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
  LOG_LEVEL: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent' = 'info';

  /** An external PostgreSQL, 15 or newer. Unset: the embedded one under `DATA_DIR`. */
  @IsOptional()
  @IsPostgresUrl()
  DATABASE_URL?: string;

  /**
   * The role that owns the tables: migrations run as it, and the service works as the role of `DATABASE_URL`, which
   * needs to own nothing. Unset: `DATABASE_URL` is both.
   */
  @IsOptional()
  @IsPostgresUrl()
  DATABASE_OWNER_URL?: string;

  /** All connections that one process holds while it serves, those of jobs and deliveries included. */
  @WholeNumber(5, 200)
  DATABASE_POOL_MAX = 20;

  @NoOuterBlanks()
  DATA_DIR = '.data';

  @IsOptional()
  @MinLength(JWT_SECRET_LENGTH_MIN)
  JWT_SECRET?: string;

  @IsIn(['sandbox', 'kora'])
  BANK_PROVIDER: 'sandbox' | 'kora' = 'sandbox';

  /** `sk_test_…` or `sk_live_…`. */
  @ForKora()
  @Matches(/^sk_(test|live)_\S+$/, { message: '$property must begin with sk_test_ or sk_live_' })
  KORA_SECRET_KEY?: string;

  @ForKora()
  @IsWebUrl('https://api.korapay.com/merchant/api/v1')
  KORA_BASE_URL = 'https://api.korapay.com/merchant/api/v1';

  /** The operator's bank verification number: Kora asks for one with every virtual account. */
  @ForKora()
  @Matches(/^\d{11}$/, { message: '$property must be 11 digits' })
  KORA_BVN?: string;

  /** The bank that issues virtual accounts; needed with a live key. */
  @ValidateIf((config: Config) => config.KORA_ISSUING_BANK_CODE !== undefined || hasLiveKoraKey(config))
  @Matches(/^\d{3,6}$/, {
    message:
      '$property must be the code of the bank that issues virtual accounts, 3 to 6 digits; a live key needs it',
  })
  KORA_ISSUING_BANK_CODE?: string;

  @ForKora()
  @IsEmail()
  KORA_PAYOUT_EMAIL?: string;

  /** Where the bank reports payouts: the public address of `/api/webhooks/payouts`. */
  @IsOptional()
  @IsWebUrl('https://wallets.example.ng/api/webhooks/payouts')
  PAYOUT_WEBHOOK_URL?: string;

  /** How long one call to the bank may take, in milliseconds. */
  @WholeNumber(100, 120_000)
  BANK_TIMEOUT_MS = 30_000;

  /** Seconds until an unfinished payout is first polled; later polls back off. */
  @WholeNumber(1, 3_600)
  SETTLEMENT_POLL_SECONDS = 15;

  /** When set, inbound webhooks must carry a valid `x-korapay-signature`. */
  @IsOptional()
  @MinLength(8)
  @NoOuterBlanks()
  WEBHOOK_SECRET?: string;

  @IsOptional()
  @IsIn(['allow'])
  WEBHOOK_UNSIGNED?: 'allow';

  /** Seconds between the attempts of an outbound webhook; after the last it has failed. */
  @Numbers()
  @ArrayMaxSize(30, { message: RETRY_SECONDS })
  @IsNumber({}, { each: true, message: RETRY_SECONDS })
  @Min(0, { each: true, message: RETRY_SECONDS })
  @Max(604_800, { each: true, message: RETRY_SECONDS })
  WEBHOOK_RETRY_SECONDS: number[] = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

  /**
   * Whether outbound webhooks may go to loopback, private and other addresses that are not on the internet.
   * Unset: yes outside production, no in production.
   */
  @IsOptional()
  @IsIn(['true', 'false'])
  WEBHOOK_ALLOW_PRIVATE?: 'true' | 'false';

  /** Encrypts the secrets of webhook endpoints in the database. Unset: the key is derived from `JWT_SECRET`. */
  @IsOptional()
  @MinLength(32)
  WEBHOOK_ENCRYPTION_KEY?: string;

  /** The mail server, `smtps://user:password@host:465` or `smtp://…`. Unset: mail is logged, in production not sent. */
  @IsOptional()
  @IsUrlLike('smtps://user:password@host:465 or smtp://host:587', ['smtp', 'smtps'])
  SMTP_URL?: string;

  /** Who the mail is from, `Wallets <wallets@example.ng>` or an address alone. */
  @ValidateIf(({ SMTP_URL, MAIL_FROM }: Config) => SMTP_URL !== undefined || MAIL_FROM !== undefined)
  @IsEmail(
    { allow_display_name: true },
    { message: '$property must be like wallets@example.ng or Wallets <wallets@example.ng>' },
  )
  MAIL_FROM?: string;

  /** Where people reach the dashboard: the beginning of the links in mail. Never taken from a request. */
  @ValidateIf(({ SMTP_URL, PUBLIC_URL }: Config) => SMTP_URL !== undefined || PUBLIC_URL !== undefined)
  @IsWebUrl('https://wallets.example.ng')
  PUBLIC_URL?: string;

  /** Names, beside those of PUBLIC_URL, HOST and this machine, that requests for `/mcp` may name as their host. */
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

  /** Encrypts the secrets of two-factor apps in the database. Unset: the key is derived from `JWT_SECRET`. */
  @IsOptional()
  @MinLength(32)
  TWO_FACTOR_ENCRYPTION_KEY?: string;

  /**
   * Whose address counts as the client's: the connection's (`off`), or the one that proxies report in
   * `X-Forwarded-For`: so many hops before us, or those in these networks.
   */
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

  /** Failed logins of one e-mail from one address in 15 minutes; one more is refused. */
  @WholeNumber(1, 1_000_000)
  LOGIN_FAILURES_MAX = 20;

  /** Failed logins from one address in 15 minutes, whatever the e-mails; one more is refused. */
  @WholeNumber(1, 1_000_000)
  LOGIN_FAILURES_PER_ADDRESS_MAX = 200;

  /** Sign-ups from one address in a minute; one more is refused. */
  @WholeNumber(1, 1_000_000)
  SIGNUPS_PER_MINUTE_MAX = 1_000;
}

/** A setting that is missing or wrong. The message is one line that names the variable. */
export class ConfigError extends Error {}

/**
 * Reads and checks the environment; an empty variable counts as unset. Throws {@link ConfigError} for the first
 * wrong one, also where production would start without a secret that keeps money safe.
 */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const config = plainToInstance(Config, given);
  const [wrong] = validateSync(config, { whitelist: true });
  if (wrong) throw new ConfigError(complaintOf(wrong));
  if (config.DATABASE_OWNER_URL && !config.DATABASE_URL)
    throw new ConfigError(
      'DATABASE_OWNER_URL: DATABASE_URL must be set too, to the role that the service works as',
    );
  if (config.BANK_PROVIDER === 'kora') config.WEBHOOK_SECRET ??= config.KORA_SECRET_KEY;
  if (config.NODE_ENV === 'production') {
    if (!given.BANK_PROVIDER)
      throw new ConfigError(
        'BANK_PROVIDER: must be set in production: kora, or sandbox (where no money moves)',
      );
    if (!config.JWT_SECRET)
      throw new ConfigError('JWT_SECRET: must be set in production (32 characters or more)');
    if (!config.WEBHOOK_SECRET && !config.WEBHOOK_UNSIGNED) {
      throw new ConfigError(
        'WEBHOOK_SECRET: must be set in production, since anyone who reaches an unsigned webhook can make money; ' +
          'WEBHOOK_UNSIGNED=allow says that something else guards the route',
      );
    }
  }
  return config;
}

/**
 * Where people reach the dashboard, without a slash at the end. Never the host that a request names: a client could have
 * others mailed a link of its choice.
 */
export function dashboardUrl({ PUBLIC_URL, PORT }: Config): string {
  return (PUBLIC_URL ?? `http://127.0.0.1:${PORT}`).replace(/\/+$/, '');
}

/** One line that names the variable, once, and says what is right. */
function complaintOf({ property, constraints = {} }: ValidationError): string {
  const [broken = ''] = Object.values(constraints);
  return `${property}: ${broken.replace(`in ${property} `, '').replace(`${property} `, '')}`;
}
