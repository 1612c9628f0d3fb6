import { expect, it } from '@jest/globals';
import { fastifyAdapter } from '../http/server/fastify.js';
import { isSampled, RequestLog } from './request-log.js';

const KEPT = '019aa4b2-7c10-7d3e-9a51-3f0c2b000000';
const LEFT_OUT = '019aa4b2-7c10-7d3e-9a51-3f0c2bffffff';

/** Lines of payments with these ids and decisions. */
async function linesOf(share: number, payments: readonly (readonly [string, string])[], level = 'info') {
  const lines: Record<string, unknown>[] = [];
  const write = (line: object) => void lines.push({ ...line });
  const log = { info: write, debug: write, isLevelEnabled: (asked: string) => level === asked };
  const server = fastifyAdapter({ requestLog: new RequestLog(log, share) }).getInstance();
  server.get('/pay/:id/:decision', (request, reply) => {
    const { id, decision } = request.params as Record<string, string>;
    Object.assign(request.notes ?? {}, { transactionId: id, decision });
    void reply.send('done');
  });
  await server.ready();
  for (const [id, decision] of payments) await server.inject({ url: `/pay/${id}/${decision}` });
  await server.close();
  return lines.map(({ transactionId, decision }) => [transactionId, decision]);
}

it.each([
  [0, []],
  [0.5, [[KEPT, 'approved']]],
  [
    1,
    [
      [KEPT, 'approved'],
      [LEFT_OUT, 'approved'],
    ],
  ],
])('of approved payments a share of %d is written, and every other decision', async (share, approved) => {
  const others = [
    [LEFT_OUT, 'blocked'],
    [LEFT_OUT, 'pending'],
  ] as const;
  const written = await linesOf(share, [[KEPT, 'approved'], [LEFT_OUT, 'approved'], ...others]);
  expect(written).toEqual([...approved, ...others]);
});

it('writes nothing where the level is above info', async () => {
  expect(await linesOf(1, [[KEPT, 'blocked']], 'warn')).toEqual([]);
});

it.each([
  ['000000', 0, false],
  ['000000', 0.000001, true],
  ['7fffff', 0.5, true],
  ['800000', 0.5, false],
  ['ffffff', 0.999999, false],
  ['ffffff', 1, true],
])('an id that ends in %s is within a share of %d: %s', (end, share, isWithin) => {
  expect(isSampled(KEPT.slice(0, -6) + end, share)).toBe(isWithin);
});
