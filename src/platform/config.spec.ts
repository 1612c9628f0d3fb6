import { describe, expect, it } from '@jest/globals';
import { getMetadataStorage } from 'class-validator';
import fc from 'fast-check';
import { Config, ConfigError, dashboardUrl, readConfig } from './config.js';
import { unusable } from './database/reach.js';

const SECRET = 's'.repeat(32);
const PRODUCTION = {
  NODE_ENV: 'production',
  BANK_PROVIDER: 'sandbox',
  JWT_SECRET: SECRET,
  WEBHOOK_SECRET: SECRET,
  DATABASE_URL: 'postgres://wallet@db/wallet',
};
const ENCODED = 'in the password, @ is written %40, : %3A, / %2F, ? %3F, # %23 and % %25';
const MAIL = {
  SMTP_URL: 'smtp://localhost:587',
  MAIL_FROM: 'wallets@example.ng',
  PUBLIC_URL: 'https://wallets.example.ng',
};
const complaint = (env: Record<string, string>): string => {
  try {
    readConfig(env);
    return '';
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
};

describe('the configuration', () => {
  it('has a default for everything', () => {
    expect(readConfig({})).toMatchObject({
      NODE_ENV: 'development',
      PORT: 3000,
      HOST: '127.0.0.1',
      LOG_LEVEL: 'info',
      DATA_DIR: '.data',
      BANK_PROVIDER: 'sandbox',
    });
    expect(readConfig({}).DATABASE_URL).toBeUndefined();
  });

  it('takes an empty variable for an unset one', () => {
    expect(readConfig({ PORT: '', DATABASE_URL: '', JWT_SECRET: '' })).toEqual(readConfig({}));
  });

  it('drops variables it does not know', () => {
    expect(readConfig({ PATH: '/bin' })).toEqual(readConfig({}));
  });

  it.each([
    ['PORT', '0', '65535'],
    ['DATABASE_POOL_MAX', '5', '200'],
    ['LOGIN_FAILURES_MAX', '1', '1000000'],
    ['LOGIN_FAILURES_PER_ADDRESS_MAX', '1', '1000000'],
    ['SIGNUPS_PER_MINUTE_MAX', '1', '1000000'],
    ['BLOCKED_ATTEMPTS_PER_MINUTE_MAX', '1', '1000000'],
    ['USER_REQUESTS_PER_SECOND_MAX', '0', '1000000'],
    ['KEY_REQUESTS_PER_SECOND_MAX', '0', '1000000'],
    ['KEY_PAYMENTS_PER_SECOND_MAX', '0', '1000000'],
    ['TRUST_PROXY', '1', '10'],
  ])('takes %s from %s to %s, and names it when it is past either end', (name, min, max) => {
    expect(readConfig({ [name]: min })).toHaveProperty(name, Number(min));
    expect(readConfig({ [name]: max })).toHaveProperty(name, Number(max));
    expect(complaint({ [name]: String(Number(min) - 1) })).toMatch(new RegExp(`^${name}: `));
    expect(complaint({ [name]: String(Number(max) + 1) })).toMatch(new RegExp(`^${name}: `));
    for (const value of ['1.5', '1e3', '0x10', ' 80', 'many']) {
      expect(complaint({ [name]: value })).toMatch(new RegExp(`^${name}: `));
    }
  });

  it.each([
    ['NODE_ENV', 'staging'],
    ['LOG_LEVEL', 'loud'],
    ['GIT_COMMIT', '40e849'],
    ['LOG_APPROVED_SAMPLE', '1.1'],
    ['LOG_APPROVED_SAMPLE', '-0.1'],
    ['LOG_APPROVED_SAMPLE', 'all'],
    ['GIT_COMMIT', 'main'],
    ['DATABASE_URL', 'mysql://localhost/x'],
    ['DATABASE_URL', 'localhost:5432'],
    ['JWT_SECRET', 's'.repeat(31)],
    ['BANK_PROVIDER', 'mattress'],
    ['WEBHOOK_SECRET', 's'.repeat(31)],
    ['WEBHOOK_UNSIGNED', 'yes'],
    ['TRUST_PROXY', 'on'],
    ['TRUST_PROXY', '0.0.0.0/0'],
    ['TRUST_PROXY', '10.0.0.0/8,everyone'],
  ])('names %s in one line when it is %j', (name, value) => {
    const message = complaint({ [name]: value });
    expect(message).toMatch(new RegExp(`^${name}: .+`));
    expect(message).not.toContain('\n');
  });

  it.each([
    [
      'WEBHOOK_RETRY_SECONDS',
      '5,soon',
      'must be 1 to 30 numbers of seconds from 0 to 604800, separated by commas',
    ],
    [
      'WEBHOOK_RETRY_SECONDS',
      '5,,9',
      'must be 1 to 30 numbers of seconds from 0 to 604800, separated by commas',
    ],
    [
      'WEBHOOK_RETRY_SECONDS',
      '-1',
      'must be 1 to 30 numbers of seconds from 0 to 604800, separated by commas',
    ],
    [
      'SMTP_URL',
      'https://mail.example.ng',
      `must be like smtps://user:password@host:465 or smtp://host:587; ${ENCODED}`,
    ],
    ['PUBLIC_URL', 'wallets.example.ng', 'must be like https://wallets.example.ng'],
    ['KORA_SECRET_KEY', 'pk_test_1', 'must begin with sk_test_ or sk_live_'],
    [
      'KORA_BASE_URL',
      'api.korapay.com/merchant/api/v1',
      'must be like https://api.korapay.com/merchant/api/v1',
    ],
    [
      'PAYOUT_WEBHOOK_URL',
      'wallets.example.ng/api/webhooks/payouts',
      'must be like https://wallets.example.ng/api/webhooks/payouts',
    ],
  ])('says what is right of %s when it is %j', (name, value, right) => {
    const bank = name.startsWith('KORA_') && {
      BANK_PROVIDER: 'kora',
      KORA_SECRET_KEY: 'sk_test_1',
      KORA_BVN: '1'.repeat(11),
      KORA_PAYOUT_EMAIL: 'a@example.ng',
    };
    expect(complaint({ ...MAIL, ...bank, [name]: value })).toBe(`${name}: ${right}`);
  });

  /** Valid for every text. */
  const FREE = ['HOST', 'METRICS_HOST', 'DATA_DIR'];
  const names = new Set(
    getMetadataStorage()
      .getTargetValidationMetadatas(Config, '', false, false)
      .map(({ propertyName }) => propertyName),
  );
  it.each([...names].filter((name) => !FREE.includes(name)))(
    'names %s once in every complaint of it',
    (name) => {
      const wrong = ['-1', 'a b', '1,-1', '9999999', '9'.repeat(400)];
      const others = {
        ...MAIL,
        ...(/^DATABASE_(OWNER|REPLICA)_URL$/.test(name) && { DATABASE_URL: 'postgres://db/x' }),
        BANK_PROVIDER: 'kora',
        KORA_SECRET_KEY: 'sk_test_1',
        KORA_BVN: '1'.repeat(11),
        KORA_PAYOUT_EMAIL: 'a@example.ng',
      };
      const complaints = wrong
        .map((value) => complaint({ ...others, [name]: value }))
        .filter((message) => message !== '');
      expect(complaints).not.toEqual([]);
      for (const message of complaints) {
        expect(message.split(new RegExp(`\\b${name}\\b`))).toHaveLength(2);
        expect(message).toMatch(new RegExp(`^${name}: (must|each value must) `));
      }
    },
  );

  it('takes the webhook of operators with its secret alone', () => {
    const OPERATOR_WEBHOOK_URL = 'https://alerts.example.ng/cases';
    expect(complaint({ OPERATOR_WEBHOOK_URL })).toBe(
      'OPERATOR_WEBHOOK_SECRET: must be set where OPERATOR_WEBHOOK_URL is',
    );
    const OPERATOR_WEBHOOK_SECRET = `whsec_${'A'.repeat(32)}`;
    expect(complaint({ OPERATOR_WEBHOOK_URL, OPERATOR_WEBHOOK_SECRET })).toBe('');
  });

  it('takes secrets of exactly their least length, and URLs of PostgreSQL', () => {
    expect(complaint({ JWT_SECRET: SECRET, WEBHOOK_SECRET: SECRET })).toBe('');
    for (const url of [
      'postgres://u:p@localhost:5432/x',
      'postgresql://db/x',
      'postgres://10.0.0.1/x?sslmode=require',
    ]) {
      expect(complaint({ DATABASE_URL: url })).toBe('');
    }
  });

  it.each(['WEBHOOK_ENCRYPTION_KEY', 'TWO_FACTOR_ENCRYPTION_KEY'])(
    'takes a %s of 32 characters, and none that is shorter',
    (name) => {
      expect(complaint({ [name]: 'k'.repeat(32) })).toBe('');
      expect(complaint({ [name]: 'k'.repeat(31) })).toMatch(new RegExp(`^${name}: must be longer `));
    },
  );

  it.each(['JWT_SECRET', 'WEBHOOK_SECRET', 'WEBHOOK_ENCRYPTION_KEY', 'TWO_FACTOR_ENCRYPTION_KEY'])(
    'takes up to 5 former secrets of 32 characters or more in %s_PREVIOUS',
    (name) => {
      const former = (count: number) => Array.from({ length: count }, (_, i) => `${i}${'k'.repeat(31)}`);
      const given = (value: string) => ({ WEBHOOK_SECRET: SECRET, [`${name}_PREVIOUS`]: value });
      expect(readConfig(given(former(5).join()))).toMatchObject({ [`${name}_PREVIOUS`]: former(5) });
      for (const wrong of [
        former(6).join(),
        former(2).join(', '),
        `${SECRET},`,
        `${SECRET},${'k'.repeat(31)}`,
      ])
        expect(complaint(given(wrong))).toBe(
          `${name}_PREVIOUS: must be 1 to 5 secrets of 32 characters or more, separated by commas without blanks`,
        );
    },
  );

  it('takes no former secret of webhooks where unsigned ones pass', () => {
    expect(complaint({ WEBHOOK_SECRET_PREVIOUS: SECRET })).toMatch(/^WEBHOOK_SECRET: must be set /);
  });

  it('takes up to a week between two attempts of a webhook', () => {
    expect(readConfig({ WEBHOOK_RETRY_SECONDS: '0,604800' }).WEBHOOK_RETRY_SECONDS).toEqual([0, 604_800]);
    expect(complaint({ WEBHOOK_RETRY_SECONDS: '604801' })).toMatch(/^WEBHOOK_RETRY_SECONDS: /);
  });

  it('has the links in mails lead to PUBLIC_URL, with or without a slash at its end', () => {
    const urls = ['https://wallets.example.ng', 'https://wallets.example.ng//', ''].map((PUBLIC_URL) =>
      dashboardUrl(readConfig({ PUBLIC_URL, PORT: '3001' })),
    );
    expect(urls).toEqual([
      'https://wallets.example.ng',
      'https://wallets.example.ng',
      'http://127.0.0.1:3001',
    ]);
  });

  it('takes the networks of proxies, or none', () => {
    expect(readConfig({ TRUST_PROXY: 'off' }).TRUST_PROXY).toBe('off');
    expect(readConfig({ TRUST_PROXY: '10.0.0.0/8, loopback,fd00::1' }).TRUST_PROXY).toEqual([
      '10.0.0.0/8',
      'loopback',
      'fd00::1',
    ]);
  });

  it.each(['HOST', 'DATA_DIR', 'WEBHOOK_SECRET'])(
    'refuses %s with a blank or a line end around it',
    (name) => {
      const text = 'a-value'.padEnd(40, '-');
      for (const value of [`${text}\n`, `${text}\r`, `${text} `, `\t${text}`, '         ', '\n']) {
        expect(complaint({ [name]: value })).toMatch(new RegExp(`^${name}: must `));
      }
      expect(complaint({ [name]: `a value of words ${text}` })).toBe('');
      expect(complaint({ [name]: `${text}\n` })).toBe(
        `${name}: must not begin or end with a blank or a line end`,
      );
    },
  );

  it('says which whole numbers are right, also for what is no number', () => {
    for (const wrong of ['abc', '-1', '1.5', '65536'])
      expect(complaint({ PORT: wrong })).toBe('PORT: must be a whole number from 0 to 65535');
  });

  it('says how a URL of PostgreSQL is written, and that of the owner goes with that of the service', () => {
    const right = `must be like postgres://user:password@host:5432/database; ${ENCODED}`;
    expect(complaint({ DATABASE_URL: 'mysql://localhost/x' })).toContain(right);
    expect(complaint({ DATABASE_OWNER_URL: 'owner' })).toContain(right);
    expect(complaint({ DATABASE_OWNER_URL: 'postgres://owner@db/x' })).toMatch(
      /^DATABASE_OWNER_URL: DATABASE_URL /,
    );
  });

  it.each([
    ['postgres://wallet@one:5432,two:5432/wallet', 'names several hosts'],
    ['postgres://wallet:a,b@one,two/wallet', 'names several hosts'],
    ['postgres://wallet@one/wallet?host=two,three', 'names several hosts'],
    ['postgres://wallet@one/wallet?host=two&host=,three', 'names several hosts'],
    [
      'postgres://wallet@one/wallet?sslmode=require&target_session_attrs=read-write',
      'holds target_session_attrs',
    ],
  ])('refuses the URL %s of more than one server, and says why', (url, reason) => {
    for (const name of ['DATABASE_URL', 'DATABASE_OWNER_URL']) {
      const said = complaint({ DATABASE_URL: 'postgres://db/x', [name]: url });
      expect(said).toMatch(
        new RegExp(`^${name}: ${reason}, .+; name one address that always leads to the primary`),
      );
      expect(said.split('\n')).toHaveLength(1);
    }
  });

  it('takes a comma in the password of PostgreSQL for what it is', () => {
    expect(complaint({ DATABASE_URL: 'postgres://wallet:a,b@one/wallet?options=-c%20jit=off,x' })).toBe('');
  });

  it('starts production only with a bank that was chosen', () => {
    expect(complaint({ ...PRODUCTION, BANK_PROVIDER: '' })).toMatch(
      /^BANK_PROVIDER: must be set in production/,
    );
  });

  it('asks for the bank that issues virtual accounts with a live key of Kora, and with no other', () => {
    const kora = { BANK_PROVIDER: 'kora', KORA_BVN: '1'.repeat(11), KORA_PAYOUT_EMAIL: 'a@example.ng' };
    const live = { ...kora, KORA_SECRET_KEY: 'sk_live_1' };
    const named = /^KORA_ISSUING_BANK_CODE: must be the code of the bank .+$/;
    expect(complaint(live)).toMatch(named);
    expect(complaint({ ...live, KORA_ISSUING_BANK_CODE: '' })).toMatch(named);
    expect(complaint({ ...live, KORA_ISSUING_BANK_CODE: 'GTB' })).toMatch(named);
    expect(complaint({ ...live, KORA_ISSUING_BANK_CODE: '035' })).toBe('');
    expect(complaint({ ...kora, KORA_SECRET_KEY: 'sk_test_1' })).toBe('');
    expect(complaint({ KORA_SECRET_KEY: 'sk_live_1' })).toBe('');
  });

  it('starts production only with a secret for sessions', () => {
    expect(complaint(PRODUCTION)).toBe('');
    expect(complaint({ ...PRODUCTION, JWT_SECRET: '' })).toMatch(/^JWT_SECRET: /);
  });

  it('has webhooks of Kora signed with its key, unless a secret is set for them', () => {
    const kora = {
      BANK_PROVIDER: 'kora',
      KORA_BVN: '1'.repeat(11),
      KORA_PAYOUT_EMAIL: 'a@example.ng',
      KORA_SECRET_KEY: 'sk_test_1',
    };
    expect(readConfig(kora).WEBHOOK_SECRET).toBe('sk_test_1');
    expect(readConfig({ ...kora, WEBHOOK_SECRET: SECRET }).WEBHOOK_SECRET).toBe(SECRET);
    expect(readConfig({ ...kora, BANK_PROVIDER: 'sandbox' }).WEBHOOK_SECRET).toBeUndefined();
  });

  it('asks for who mail is from, and where its links lead, with a mail server', () => {
    expect(complaint(MAIL)).toBe('');
    expect(complaint({ ...MAIL, MAIL_FROM: '' })).toMatch(/^MAIL_FROM: /);
    expect(complaint({ ...MAIL, PUBLIC_URL: '' })).toMatch(/^PUBLIC_URL: /);
  });

  it.each([
    [100, ''],
    [101, 'MCP_ALLOWED_HOSTS: '],
  ])('takes %i names for the host of /mcp, or says that they are too many', (count, said) => {
    const names = Array.from({ length: count }, (_, i) => `host-${i}`).join(',');
    expect(complaint({ MCP_ALLOWED_HOSTS: names }).slice(0, 'MCP_ALLOWED_HOSTS: '.length)).toBe(said);
  });

  it('starts production only with signed webhooks, or with a word that they need not be', () => {
    expect(complaint({ ...PRODUCTION, WEBHOOK_SECRET: '' })).toMatch(/^WEBHOOK_SECRET: /);
    expect(complaint({ ...PRODUCTION, WEBHOOK_SECRET: '', WEBHOOK_UNSIGNED: 'allow' })).toBe('');
  });

  it('starts production only with a database that was named, or with a word that the embedded one is meant', () => {
    const none = { ...PRODUCTION, DATABASE_URL: '' };
    for (const misspelt of ['OTHER', 'DATABASE_URl', 'DATABSE_URL'])
      expect(complaint({ ...none, [misspelt]: 'postgres://db/x' })).toMatch(
        /^DATABASE_URL: must be set in production; .+$/,
      );
    expect(complaint({ ...none, DATABASE: 'embedded' })).toBe('');
    expect(complaint({ ...none, DATABASE: 'postgres' })).toMatch(/^DATABASE: must be one of .+$/);
    expect(complaint({ ...PRODUCTION, DATABASE: 'embedded' })).toMatch(/^DATABASE: must be unset .+$/);
    expect(complaint({ DATABASE: 'embedded' })).toBe('');
  });

  it('names all that is wrong at once, one line each', () => {
    const wrong = {
      NODE_ENV: 'production',
      PORT: '-1',
      DATABASE_OWNER_URL: 'postgres://owner@db/x',
      WEBHOOK_SECRET: 'short',
    };
    const [count, ...lines] = complaint(wrong).split('\n');
    expect(count).toBe('5 settings are wrong:');
    expect(lines.map((line) => line.split(':')[0])).toEqual([
      'PORT',
      'WEBHOOK_SECRET',
      'DATABASE_OWNER_URL',
      'BANK_PROVIDER',
      'JWT_SECRET',
    ]);
  });

  it('takes no user and no password in the address of the bank', () => {
    for (const address of ['https://me:mypassword@api.example.ng', 'https://me@api.example.ng'])
      expect(complaint({ PAYOUT_WEBHOOK_URL: address })).toMatch(/^PAYOUT_WEBHOOK_URL: must be like /);
  });
});

describe('a password in a URL', () => {
  const KINDS = [
    ['DATABASE_URL', 'postgres', 'wallet'],
    ['DATABASE_OWNER_URL', 'postgresql', 'wallet'],
    ['SMTP_URL', 'smtps', ''],
  ] as const;
  const lines = (name: string, url: string): string => {
    return (
      complaint({ ...MAIL, DATABASE_URL: 'postgres://db/x', [name]: url }) ||
      unusable(name, url, new Error('refused')).message
    );
  };
  const password = fc.oneof(
    fc.string({ unit: fc.constantFrom(...'aB3é@/#?%:\\[ ;&+=$.', '%4', '%41', '%zz'), maxLength: 16 }),
    fc.string({ unit: 'binary', maxLength: 30 }),
  );

  it('is never shown in part, raw or encoded: the URL means what was meant, or it is refused with a hint', () => {
    const withoutPassword = KINDS.map(([name, scheme, path]) =>
      [lines(name, `${scheme}://me@localhost:2/${path}`), lines(name, 'mysql://db/x')].join(),
    );
    fc.assert(
      fc.property(fc.nat(KINDS.length - 1), password, fc.boolean(), (kind, text, isRaw) => {
        const [name, scheme, path] = KINDS[kind]!;
        const known = withoutPassword[kind]!;
        const written = isRaw ? text : encodeURIComponent(text.toWellFormed());
        const said = lines(name, `${scheme}://me:${written}@localhost:2/${path}`);
        for (let i = 0; i + 4 <= text.length; i += 1) {
          const part = text.slice(i, i + 4);
          if (!known.includes(part)) expect(said).not.toContain(part);
        }
        if (!isRaw) expect(said).toContain("can't be used: refused");
        else if (said.includes('must be like')) expect(said).toContain(ENCODED);
        else
          expect(decodeURIComponent(new URL(`${scheme}://me:${written}@localhost:2/`).password)).toBe(
            decodeURIComponent(text),
          );
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    'postgres://wallet:a@Secret9/x@host/wallet',
    'postgres://wallet:p@ssw0rd#1@host/wallet',
    'postgres://wallet:12/Secret9@host/wallet',
    'postgres://wallet:12?Secret9@host/wallet',
    'postgres://wallet:Secret9%@host/wallet',
    'postgres://wallet:Secret9%ff@host/wallet',
    'postgres://wallet:Secret9@host/wallet#Secret9',
  ])('is refused as it stands in %s', (url) => {
    expect(complaint({ DATABASE_URL: url })).toBe(
      `DATABASE_URL: must be like postgres://user:password@host:5432/database; ${ENCODED}`,
    );
  });
});
