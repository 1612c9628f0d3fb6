import { describe, expect, it } from '@jest/globals';
import { isToolsListRequest, ToolsListAnswers } from './tools-list.js';

const asked = (id: unknown, params: object = {}) => {
  const body = { jsonrpc: '2.0', id, method: 'tools/list', params };
  if (!isToolsListRequest(body)) throw new Error('is one');
  return body;
};

function underTest(status = 200) {
  let made = 0;
  const answers = new ToolsListAnswers();
  const make = (request: object) => {
    made += 1;
    return Promise.resolve(Response.json({ ...request, tools: ['a'] }, { status }));
  };
  const answer = async (id: unknown, dependsOn: unknown = null, params: object = {}) =>
    JSON.parse((await answers.answer(asked(id, params), dependsOn, make)).text) as object;
  return { answer, made: () => made };
}

describe('the list of the tools', () => {
  it('is made once, and told under the id of each request', async () => {
    const { answer, made } = underTest();
    for (const id of [1, 'one', 2]) expect(await answer(id)).toMatchObject({ id, tools: ['a'] });
    expect(made()).toBe(1);
  });

  it('is made for each way to ask for it', async () => {
    const { answer, made } = underTest();
    await answer(1, ['application/json']);
    await answer(1, ['text/event-stream']);
    expect(await answer(1, null, { cursor: 'x' })).toMatchObject({ params: { cursor: 'x' } });
    expect(made()).toBe(3);
  });

  it('is not kept where it was refused, nor for a request that is long', async () => {
    const refused = underTest(400);
    await refused.answer(1);
    await refused.answer(2);
    const long = underTest();
    for (const id of [1, 2]) await long.answer(id, null, { text: 'x'.repeat(4_000) });
    expect([refused.made(), long.made()]).toEqual([2, 2]);
  });

  it('is asked for by a request with an id alone', () => {
    const request = { jsonrpc: '2.0', method: 'tools/list' };
    const bodies = [
      { ...request, id: 1 },
      { ...request, id: 'x' },
      request,
      { ...request, id: null },
      null,
      [request],
    ];
    expect(bodies.map(isToolsListRequest)).toEqual([true, true, false, false, false, false]);
    expect(isToolsListRequest({ ...request, id: 1, method: 'tools/call' })).toBe(false);
  });
});
