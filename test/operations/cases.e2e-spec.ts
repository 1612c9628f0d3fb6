import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { CaseOpened } from '../../src/contexts/operations/operations.events.js';
import { Database } from '../../src/platform/database/database.js';
import { Events } from '../../src/platform/events/events.js';
import { chargeBody, startService, type TestService, until } from '../support/service.js';

let service: TestService;
/** What the log was told as a warning: the object of each line, and its text. */
let warned: unknown[][] = [];

beforeAll(async () => {
  service = await startService();
  jest.spyOn(Logger.prototype, 'warn').mockImplementation((...line: unknown[]) => void warned.push(line));
});
beforeEach(() => {
  warned = [];
});
afterAll(async () => {
  jest.restoreAllMocks();
  await service.close();
});

const opened = (changes: Partial<CaseOpened> = {}): CaseOpened =>
  new CaseOpened({
    kind: 'payout-stuck',
    subject: 'a subject',
    walletId: null,
    description: 'first',
    ...changes,
  });
const open = (...cases: CaseOpened[]): Promise<void> =>
  service.app.get(Database).transaction((tx) => service.app.get(Events).publish(cases, tx));
const close = (subject: string) =>
  service.query(
    `UPDATE operator_cases SET opened_at = '2026-01-01', closed_at = '2026-01-02' WHERE subject = $1`,
    [subject],
  );
const casesOf = (subject: string) =>
  service.query<{ kind: string; description: string; opened_at: Date; closed_at: Date | null }>(
    'SELECT kind, description, opened_at, closed_at FROM operator_cases WHERE subject = $1 ORDER BY kind',
    [subject],
  );

describe('a case for the operator', () => {
  it('is told of in the log, with all that is known of it', async () => {
    const wallet = await service.createWallet();
    await service.webhook(chargeBody(wallet.id, { reference: 'in dollars', currency: 'USD' }));
    await until(() => Promise.resolve(warned.some(([, text]) => text === 'a case for the operator')));
    expect(warned).toContainEqual([
      {
        kind: 'transfer-held',
        subject: 'in dollars',
        walletId: wallet.id,
        description: expect.stringContaining('USD'),
      },
      'a case for the operator',
    ]);
  });

  it('is opened once for its kind and subject, however often and however many at once it is found', async () => {
    const subject = 'found again';
    await open(opened({ subject }), opened({ subject, description: 'second' }));
    await Promise.all([open(opened({ subject })), open(opened({ subject, kind: 'payout-without-float' }))]);
    expect(await casesOf(subject)).toMatchObject([
      { kind: 'payout-stuck', description: 'first' },
      { kind: 'payout-without-float' },
    ]);
  });

  it('that was closed stays closed when the same is found again', async () => {
    const subject = 'dealt with';
    await open(opened({ subject }));
    await close(subject);
    await open(opened({ subject, description: 'second' }));
    expect(await casesOf(subject)).toMatchObject([{ description: 'first', closed_at: expect.any(Date) }]);
  });

  it('that is to open again does so, says what was found last, and leaves every other alone', async () => {
    const [subject, other] = ['back again', 'not touched'];
    await open(
      opened({ subject }),
      opened({ subject: other }),
      opened({ subject, kind: 'bank-access-denied' }),
    );
    await close(subject);
    await close(other);
    await open(
      opened({ subject, description: 'second', reopens: true }),
      opened({ subject, description: 'third', reopens: true }),
    );
    const [kept, again] = await casesOf(subject);
    expect(again).toMatchObject({ kind: 'payout-stuck', description: 'third', closed_at: null });
    expect(again!.opened_at.getTime()).toBeGreaterThan(Date.parse('2026-01-02'));
    expect([kept, ...(await casesOf(other))]).toMatchObject([
      { kind: 'bank-access-denied', description: 'first', closed_at: expect.any(Date) },
      { description: 'first', closed_at: expect.any(Date) },
    ]);
  });

  it('that is open keeps the time it was opened at', async () => {
    const subject = 'still open';
    await open(opened({ subject }));
    const [before] = await casesOf(subject);
    await open(opened({ subject, description: 'second', reopens: true }));
    const [after] = await casesOf(subject);
    expect([after!.opened_at, after!.description]).toEqual([before!.opened_at, 'second']);
  });
});
