import { LRUCache } from 'lru-cache';

interface ToolsListRequest {
  readonly id: string | number;
  readonly method: 'tools/list';
}

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly text: string;
}

const ID = 'the id of the request, 5f1d0c6e';
/** Longer requests are not cached. */
const KEY_LENGTH_MAX = 4_000;
const KEPT_MAX = 50;

export function isToolsListRequest(body: unknown): body is ToolsListRequest {
  const { method, id } = (body ?? {}) as Record<string, unknown>;
  return method === 'tools/list' && (typeof id === 'string' || typeof id === 'number');
}

/** Answers differ by the request's id alone. */
export class ToolsListAnswers {
  private readonly kept = new LRUCache<string, Answer>({ max: KEPT_MAX });

  /** `dependsOn`: other inputs of the answer. */
  async answer(
    request: ToolsListRequest,
    dependsOn: unknown,
    make: (request: ToolsListRequest) => Promise<Response>,
  ): Promise<Answer> {
    const nameless = { ...request, id: ID };
    const key = JSON.stringify([dependsOn, nameless]);
    const answer = this.kept.get(key) ?? (await asText(await make(nameless)));
    if (answer.status === 200 && key.length <= KEY_LENGTH_MAX) this.kept.set(key, answer);
    return { ...answer, text: answer.text.replace(JSON.stringify(ID), () => JSON.stringify(request.id)) };
  }
}

async function asText(response: Response): Promise<Answer> {
  const { status, headers } = response;
  return { status, headers: Object.fromEntries(headers), text: await response.text() };
}
