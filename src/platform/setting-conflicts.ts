type Name =
  | 'BANK_PROVIDER'
  | 'DATABASE'
  | 'DATABASE_OWNER_URL'
  | 'DATABASE_REPLICA_URL'
  | 'DATABASE_URL'
  | 'JWT_SECRET'
  | 'OPERATOR_WEBHOOK_SECRET'
  | 'OPERATOR_WEBHOOK_URL'
  | 'WEBHOOK_SECRET'
  | 'WEBHOOK_UNSIGNED';

type Settings = Readonly<Partial<Record<Name, string>>> & {
  readonly WEBHOOK_SECRET_PREVIOUS: readonly string[];
};

export function contradictions(config: Settings): string[] {
  const { DATABASE, DATABASE_URL, DATABASE_OWNER_URL } = config;
  const complaints: string[] = [];
  if (DATABASE_OWNER_URL && !DATABASE_URL)
    complaints.push(
      'DATABASE_OWNER_URL: DATABASE_URL must be set too, to the role that the service works as',
    );
  if (config.DATABASE_REPLICA_URL && !DATABASE_URL)
    complaints.push('DATABASE_REPLICA_URL: DATABASE_URL must be set too, to the primary of the replica');
  if (URL.canParse(config.OPERATOR_WEBHOOK_URL ?? '') && !config.OPERATOR_WEBHOOK_SECRET)
    complaints.push('OPERATOR_WEBHOOK_SECRET: must be set where OPERATOR_WEBHOOK_URL is');
  if (DATABASE && (DATABASE_URL ?? DATABASE_OWNER_URL))
    complaints.push('DATABASE: must be unset where DATABASE_URL is set');
  if (config.WEBHOOK_SECRET_PREVIOUS.length > 0 && !config.WEBHOOK_SECRET && config.BANK_PROVIDER !== 'kora')
    complaints.push(
      'WEBHOOK_SECRET: must be set where WEBHOOK_SECRET_PREVIOUS is, or unsigned webhooks pass',
    );
  return complaints;
}

export function missingInProduction(given: NodeJS.ProcessEnv, config: Settings): string[] {
  const complaints: string[] = [];
  if (!config.DATABASE_URL && !config.DATABASE_OWNER_URL && !config.DATABASE)
    complaints.push(
      'DATABASE_URL: must be set in production; DATABASE=embedded says that the embedded PostgreSQL is meant',
    );
  if (!given.BANK_PROVIDER)
    complaints.push('BANK_PROVIDER: must be set in production: kora, or sandbox (where no money moves)');
  if (!config.JWT_SECRET) complaints.push('JWT_SECRET: must be set in production (32 characters or more)');
  if (config.BANK_PROVIDER !== 'kora' && !config.WEBHOOK_SECRET && !config.WEBHOOK_UNSIGNED)
    complaints.push(
      'WEBHOOK_SECRET: must be set in production, since anyone who reaches an unsigned webhook can make money; ' +
        'WEBHOOK_UNSIGNED=allow says that something else guards the route',
    );
  return complaints;
}
