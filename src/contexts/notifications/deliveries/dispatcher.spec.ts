import { describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { underTest, useDispatchers } from '../../../../test/support/dispatcher.js';
import { ATTEMPT_MS_MAX } from './sender.js';

const start = useDispatchers();

describe('a database that fails', () => {
  const lines = (level: 'error' | 'warn') => jest.spyOn(Logger.prototype, level).mockReturnValue(undefined);

  it('ends no loop where attempts can not be put on record: their places are free again', async () => {
    const said = lines('error');
    const { dispatcher, begunInAll } = underTest(1, undefined, undefined, {
      record: () => Promise.reject(new Error('no connection')),
    });
    await start(dispatcher, 10_000);
    expect(begunInAll()).toBeGreaterThan(32);
    expect(said).toHaveBeenCalledWith(
      expect.stringMatching(/^\d+ attempts could not be recorded: .*no connection/),
    );
  });

  it('is only told of where not all deliveries of a disabled endpoint could be given up', async () => {
    const said = lines('warn');
    const { dispatcher, begunInAll } = underTest(1, undefined, undefined, {
      record: () => Promise.resolve(['endpoint 0']),
      disableEndpoint: () => Promise.resolve(true),
      cancelRest: () => Promise.reject(new Error('no connection')),
    });
    await start(dispatcher, 1_000);
    expect(said).toHaveBeenCalledWith(
      expect.stringMatching(/^not all deliveries were given up: .*no connection/),
    );
    expect(begunInAll()).toBeGreaterThan(32);
  });
});

describe('deliveries beside payments', () => {
  it('begin as many attempts as the endpoints take while no payment waits', async () => {
    const { dispatcher, rounds, begun, begunInAll } = underTest(10);
    await start(dispatcher, 1_000);
    expect(begun(rounds[0]!)).toBe(80);
    expect(begunInAll()).toBeGreaterThan(5_000);
  });

  it('are claimed for longer than an attempt can take', async () => {
    const { dispatcher, leases } = underTest(1);
    await start(dispatcher, 0);
    expect(leases.size).toBe(1);
    for (const leaseMs of leases) expect(leaseMs).toBeGreaterThan(ATTEMPT_MS_MAX);
  });

  it('begin 40 attempts a round while one payment waits, which the endpoints share', async () => {
    const { dispatcher, load, rounds } = underTest(10);
    load.pendingDecisions = 1;
    await start(dispatcher, 0);
    expect(rounds).toHaveLength(1);
    expect(rounds[0]!.map(({ availableSlots }) => availableSlots)).toEqual(Array(10).fill(4));
  });

  it('begin the next round 40 ms later, not before', async () => {
    const { dispatcher, load, rounds } = underTest(10);
    load.pendingDecisions = 1;
    await start(dispatcher, 39);
    expect(rounds).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(1);
    expect(rounds).toHaveLength(2);
    await jest.advanceTimersByTimeAsync(960);
    expect(rounds.length).toBeLessThanOrEqual(26);
    expect(rounds.length).toBeGreaterThan(20);
  });

  it('give every endpoint its turn, however many there are', async () => {
    const { dispatcher, load, rounds } = underTest(100);
    load.pendingDecisions = 1;
    await start(dispatcher, 100);
    expect(rounds).toHaveLength(3);
    expect(new Set(rounds.flat().map(({ endpointId }) => endpointId)).size).toBe(100);
  });

  it('leave the share of endpoints that fail to the others', async () => {
    const { dispatcher, load, rounds } = underTest(10, (endpointId) => endpointId !== 'endpoint 0');
    load.pendingDecisions = 1;
    await start(dispatcher, 2_000);
    const ofHealthy = rounds
      .slice(-10)
      .flat()
      .filter(({ endpointId }) => endpointId === 'endpoint 0');
    expect(Math.max(...ofHealthy.map(({ availableSlots }) => availableSlots))).toBe(32);
  });

  it('leave half of the places to those that answer soon, however many answer late', async () => {
    const lateMs = 10_000;
    const { dispatcher, begunInAll, begunOf } = underTest(200, undefined, (id) =>
      id === 'endpoint 0' ? 1 : lateMs,
    );
    await start(dispatcher, 4 * lateMs - 1);
    const soon = begunOf('endpoint 0');
    expect(begunInAll() - soon).toBeLessThanOrEqual(4 * 512);
    await jest.advanceTimersByTimeAsync(lateMs);
    expect(begunOf('endpoint 0') - soon).toBeGreaterThan(1_000);
  });

  it('give the next free places to an endpoint that has none, where those that answer late hold them all', async () => {
    const msOf = (id: string) => 10_000 + 50 * Number(id.slice(9));
    const { dispatcher, begunOf, join } = underTest(60, undefined, msOf);
    await start(dispatcher, 40_000);
    join('endpoint 60');
    await jest.advanceTimersByTimeAsync(1_000);
    expect(begunOf('endpoint 60')).toBe(8);
    await jest.advanceTimersByTimeAsync(60_000);
    for (let i = 0; i <= 60; i += 1) expect(begunOf(`endpoint ${i}`)).toBeGreaterThan(16);
  });

  it('go on at full speed once the payments are decided', async () => {
    const { dispatcher, load, begunInAll } = underTest(10);
    load.pendingDecisions = 1;
    await start(dispatcher, 1_000);
    const before = begunInAll();
    load.pendingDecisions = 0;
    await jest.advanceTimersByTimeAsync(1_000);
    expect(begunInAll() - before).toBeGreaterThan(5 * before);
  });
});
