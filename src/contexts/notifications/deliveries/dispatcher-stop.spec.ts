import { describe, expect, it, jest } from '@jest/globals';
import { ATTEMPT, CLAIMED, passed, underTest, useDispatchers } from '../../../../test/support/dispatcher.js';
import { leastIdAt } from '../../../kernel/ids.js';
import { SecretBox } from '../../../platform/security/secret-box.js';
import type { Finished } from './deliveries.domain.js';
import { ATTEMPT_MS_MAX } from './sender.js';

const start = useDispatchers();

describe('an endpoint that is disabled while it is claimed', () => {
  it('is sent nothing, and has what waits for it given up', async () => {
    const given: string[] = [];
    let sent = 0;
    const { dispatcher } = underTest(
      1,
      undefined,
      undefined,
      {
        claim: () => Promise.resolve([{ ...CLAIMED, isEnabled: false }]),
        cancelPending: (endpointId) => Promise.resolve(given.push(endpointId)),
      },
      { send: () => Promise.resolve({ ...ATTEMPT, durationMs: (sent += 1) }) },
    );
    await start(dispatcher, 100);
    expect(given[0]).toBe('endpoint 0');
    expect(sent).toBe(0);
  });
});

describe('a dispatcher that is told to stop', () => {
  async function endOf(claimMs: number, attemptMs: number): Promise<string[]> {
    const done: string[] = [];
    let breakOff: () => void = () => undefined;
    let left = 1;
    const { dispatcher } = underTest(
      1,
      undefined,
      undefined,
      {
        claim: async () => {
          await passed(claimMs);
          return left-- > 0 ? [CLAIMED] : [];
        },
        record: ([one]) => {
          done.push(one?.attempt.interrupted ? 'interrupted' : 'answered');
          return Promise.resolve([]);
        },
      },
      {
        send: async () => {
          const aborted = new Promise<boolean>((resolve) => (breakOff = () => resolve(true)));
          const interrupted = await Promise.race([aborted, passed(attemptMs).then(() => false)]);
          return { ...ATTEMPT, ...(interrupted && { interrupted }) };
        },
        abort: () => {
          done.push('aborted');
          breakOff();
        },
        close: () => Promise.resolve(void done.push('closed')),
      },
    );
    await start(dispatcher, 50);
    const stopped = dispatcher.beforeApplicationShutdown().then(() => done.push('stopped'));
    await jest.advanceTimersByTimeAsync(6_000);
    await stopped;
    return done;
  }

  it('lets an attempt under way end, and puts it on record', async () => {
    expect(await endOf(1, 2_500)).toEqual(['answered', 'aborted', 'closed', 'stopped']);
  });

  it('breaks off an attempt that takes longer than three seconds, and puts that on record before it is done', async () => {
    expect(await endOf(1, 15_000)).toEqual(['aborted', 'interrupted', 'closed', 'stopped']);
  });

  it('sends and records what it is claiming at that moment', async () => {
    expect(await endOf(500, 100)).toEqual(['answered', 'aborted', 'closed', 'stopped']);
  });
});

describe('an attempt', () => {
  it('is put on record at the third try too, once', async () => {
    const recorded: Finished[] = [];
    let left = 1;
    let failures = 2;
    const { dispatcher } = underTest(1, undefined, undefined, {
      claim: () => Promise.resolve(left-- > 0 ? [CLAIMED] : []),
      record: (finished) => {
        if (failures-- > 0) return Promise.reject(new Error('deadlock detected'));
        recorded.push(...finished);
        return Promise.resolve([]);
      },
    });
    await start(dispatcher, 5_000);
    expect(recorded).toMatchObject([{ deliveryId: CLAIMED.id, attempt: { statusCode: 200 } }]);
  });

  it('is signed as of the time of the database, and not sent after its claim', async () => {
    const claimedAt = new Date(Date.now() - 3_600_000);
    const sent: { readonly at: Date; readonly leftMs: number }[] = [];
    const { dispatcher } = underTest(
      1,
      undefined,
      undefined,
      {
        claim: async () => {
          await passed(40);
          return [{ ...CLAIMED, claimedAt }];
        },
      },
      {
        send: ({ at, sendBefore = NaN }) => {
          sent.push({ at, leftMs: sendBefore - performance.now() });
          return Promise.resolve(ATTEMPT);
        },
      },
    );
    await start(dispatcher, 100);
    expect(sent[0]?.at.getTime()).toBe(claimedAt.getTime() + 40);
    expect(sent[0]?.leftMs).toBeCloseTo(ATTEMPT_MS_MAX + 4_000 - 40, -1);
  });

  it('whose claim ran out before it was sent is not put on record, and its place is free', async () => {
    const recorded: unknown[] = [];
    const { dispatcher, begunInAll } = underTest(
      1,
      undefined,
      undefined,
      { record: (finished) => Promise.resolve((recorded.push(...finished), [])) },
      {
        send: async () => {
          await passed(100);
          return { ...ATTEMPT, interrupted: true, unsent: true };
        },
      },
    );
    await start(dispatcher, 3_000);
    expect(recorded).toEqual([]);
    expect(begunInAll()).toBeGreaterThan(10);
  });

  it('is signed with the secrets that have not expired, and can be read, alone', async () => {
    const box = new SecretBox(['a master key'], 'tests');
    // By the database's clock, which is behind the process's.
    const claimedAt = new Date(Date.now() - 3_600_000);
    const sealed = (secret: string, expiresAt: number | null) => ({
      sealed: box.seal(secret, CLAIMED.endpointId),
      expiresAt: expiresAt === null ? null : new Date(claimedAt.getTime() + expiresAt).toISOString(),
    });
    const secrets = [
      sealed('the new one', null),
      sealed('an old one', 60_000),
      sealed('one that is over', -1),
      { sealed: 'another key sealed this', expiresAt: null },
    ];
    const signedWith: (readonly string[])[] = [];
    const { dispatcher } = underTest(
      1,
      undefined,
      undefined,
      { claim: () => Promise.resolve([{ ...CLAIMED, secrets, claimedAt }]) },
      {
        send: (message) => {
          signedWith.push(message.secrets);
          return Promise.resolve(ATTEMPT);
        },
      },
    );
    await start(dispatcher, 100);
    expect(signedWith[0]).toEqual(['the new one', 'an old one']);
  });
});

describe('old deliveries', () => {
  it('are deleted every ten minutes, those that were made thirty days ago', async () => {
    const floors: string[] = [];
    const { dispatcher } = underTest(0, undefined, undefined, {
      purgeBefore: (id) => {
        floors.push(id);
        return Promise.resolve(0);
      },
    });
    await start(dispatcher, 10 * 60_000 - 1);
    expect(floors).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(floors).toEqual([leastIdAt(Date.now() - 30 * 24 * 60 * 60_000)]);
  });
});
