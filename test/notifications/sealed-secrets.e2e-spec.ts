import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { LoggerService } from '@nestjs/common';
import { ReceiptKeys } from '../../src/contexts/receipts/receipt-keys.service.js';
import { countUnopenable, unopenableInWords } from '../../src/platform/security/unopenable.js';
import { SecretBox } from '../../src/platform/security/secret-box.js';
import { expectStatus, startService, type TestService, type TestUser } from '../support/service.js';

const OTHER_SECRET = 'another secret, that signs the session tokens from now on';

let service: TestService;
let user: TestUser;
beforeAll(async () => {
  service = await startService();
  user = await service.signUp();
});
afterAll(() => service.close());

const subscribe = async (): Promise<string> => {
  const body = { url: 'https://93.184.215.14/hook', events: ['wallet.funded'] };
  const created = await service.post<{ data: { id: string } }>('/v1/webhook-endpoints', {
    token: user.token,
    body,
  });
  return expectStatus(201, created).body.data.id;
};

interface Case {
  readonly subject: string;
  readonly description: string;
  readonly isOpen: boolean;
}
const cases = (): Promise<Case[]> =>
  service.query<Case>(
    `SELECT subject, description, closed_at IS NULL AS "isOpen" FROM operator_cases
      WHERE kind = 'secrets-unreadable' ORDER BY subject`,
  );

/** Starts a replica, lets it look at the secrets, and stops it; answers what it warned of them. */
async function startAndStop(jwtSecret?: string): Promise<readonly string[]> {
  const warned: string[] = [];
  const quiet = () => undefined;
  const logger: LoggerService = {
    log: quiet,
    error: quiet,
    warn: (message: unknown) => void warned.push(String(message)),
  };
  // Closing waits for what the start still does.
  await (await startService({ beside: service, logger, ...(jwtSecret && { jwtSecret }) })).close();
  return warned.filter((line) => line.includes('encrypted under another'));
}

describe('secrets that were encrypted under another key', () => {
  it('are counted in a line of the start and in one case, which closes once they can be opened', async () => {
    await subscribe();
    const deleted = await subscribe();
    await service.call('DELETE', `/v1/webhook-endpoints/${deleted}`, { token: user.token });
    expect(await startAndStop()).toEqual([]);
    expect(await cases()).toEqual([]);

    await service.query(
      `INSERT INTO two_factors (user_id, sealed_secret, confirmed_at) VALUES ($1, 'of no key', clock_timestamp())`,
      [user.id],
    );
    const [keys, endpoints, factors] = (await startAndStop(OTHER_SECRET)).toSorted().reverse();
    expect(endpoints).toMatch(
      /^1 of 1 webhook endpoints have secrets .* WEBHOOK_ENCRYPTION_KEY .* rotate the secrets$/,
    );
    expect(factors).toMatch(
      /^1 of 1 second factors have secrets .* TWO_FACTOR_ENCRYPTION_KEY .* set the app up again$/,
    );
    // The start under the other secret makes one of its own.
    expect(keys).toMatch(
      /^1 of 2 keys that sign receipts were .* JWT_SECRET: .* in JWT_SECRET_PREVIOUS, or .* --rotate$/,
    );
    const opened = [
      { subject: 'receipt-keys', description: keys, isOpen: true },
      { subject: 'two-factor', description: factors, isOpen: true },
      { subject: 'webhook-endpoints', description: endpoints, isOpen: true },
    ];
    expect(await cases()).toEqual(opened);
    await startAndStop(OTHER_SECRET);
    expect(await cases()).toEqual(opened);

    expect((await startAndStop()).toSorted()).toEqual([factors, keys]);
    expect(await cases()).toEqual([
      opened[0],
      opened[1],
      {
        subject: 'webhook-endpoints',
        description: `${endpoints}; the secrets can be opened`,
        isOpen: false,
      },
    ]);
    await startAndStop(OTHER_SECRET);
    expect((await cases())[2]).toEqual(opened[2]);

    await service.app.get(ReceiptKeys).rotate();
    expect(await startAndStop()).toEqual([factors]);
    expect((await cases())[0]).toEqual({
      subject: 'receipt-keys',
      description: `${keys}; the keys can be opened`,
      isOpen: false,
    });
  });
});

describe('the count of secrets that can not be opened', () => {
  const box = new SecretBox(['a master'], 'tests');
  const pageOf = (owners: number) => (after: string | null, limit: number) => {
    const first = after === null ? 0 : Number(after) + 1;
    const page = Array.from({ length: Math.min(limit, owners - first) }, (_, i) => String(first + i));
    // Every tenth can be opened, by one of its secrets.
    return Promise.resolve(
      page.map((owner) => ({
        owner,
        sealed: ['nonsense', Number(owner) % 10 ? 'nonsense' : box.seal('x', owner)],
      })),
    );
  };

  it.each([
    [0, '0 of 0 x'],
    [499, '449 of 499 x'],
    [500, '450 of 500 x'],
    [501, '450 of 501 x'],
    [9_999, '8,999 of 9,999 x'],
    [10_001, '9,000 of the first 10,000 x'],
  ])('is of all where there are %i, and of the first 10,000 at most', async (owners, said) => {
    expect(unopenableInWords(await countUnopenable(box, pageOf(owners)), 'x')).toBe(said);
  });
});
