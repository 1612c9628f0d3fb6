import { plainToInstance, Transform } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsUrl, Max, Min, MinLength, validateSync } from 'class-validator';

const Integer = () => Transform(({ value }) => (/^\d+$/.test(String(value)) ? Number(value) : value));

/** The settings of the service, from environment variables alone. `.env.example` lists each with its default. */
export class Config {
  @IsIn(['development', 'test', 'production'])
  NODE_ENV: 'development' | 'test' | 'production' = 'development';

  @Integer()
  @IsInt()
  @Min(0)
  @Max(65_535)
  PORT = 3000;

  @MinLength(1)
  HOST = '127.0.0.1';

  @IsIn(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
  LOG_LEVEL: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent' = 'info';

  /** An external PostgreSQL, 15 or newer. Unset: the embedded one under `DATA_DIR`. */
  @IsOptional()
  @IsUrl({ protocols: ['postgres', 'postgresql'], require_protocol: true, require_tld: false })
  DATABASE_URL?: string;

  @Integer()
  @IsInt()
  @Min(5)
  @Max(200)
  DATABASE_POOL_MAX = 20;

  @MinLength(1)
  DATA_DIR = '.data';

  @IsOptional()
  @MinLength(32)
  JWT_SECRET?: string;

  @IsIn(['sandbox'])
  BANK_PROVIDER: 'sandbox' = 'sandbox' as const;

  /** When set, inbound webhooks must carry a valid `x-korapay-signature`. */
  @IsOptional()
  @MinLength(8)
  WEBHOOK_SECRET?: string;

  @IsOptional()
  @IsIn(['allow'])
  WEBHOOK_UNSIGNED?: 'allow';

  /** Failed logins of one e-mail from one address in 15 minutes; one more is refused. */
  @Integer()
  @IsInt()
  @Min(1)
  @Max(1_000_000)
  LOGIN_FAILURES_MAX = 20;

  /** Sign-ups from one address in a minute; one more is refused. */
  @Integer()
  @IsInt()
  @Min(1)
  @Max(1_000_000)
  SIGNUPS_PER_MINUTE_MAX = 1_000;
}

/** A setting that is missing or wrong. The message is one line that names the variable. */
export class ConfigError extends Error {}

/**
 * Reads and checks the environment; an empty variable counts as unset. Throws {@link ConfigError} for the first
 * wrong one, also where production would start without a secret that keeps money safe.
 */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const given = Object.fromEntries(
    Object.keys(new Config())
      .concat(['DATABASE_URL', 'JWT_SECRET', 'WEBHOOK_SECRET', 'WEBHOOK_UNSIGNED'])
      .filter((name) => env[name])
      .map((name) => [name, env[name]]),
  );
  const config = plainToInstance(Config, given);
  const [wrong] = validateSync(config);
  if (wrong) throw new ConfigError(`${wrong.property}: ${Object.values(wrong.constraints ?? {})[0]}`);
  if (config.NODE_ENV === 'production') {
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
