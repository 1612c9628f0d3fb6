/** Required by the MCP handler for revision 2025-11-25. */
const BOTH = 'application/json, text/event-stream';

/** Without those refused by `q=0`; lower case. */
function mediaRanges(accept: string): string[] {
  return accept
    .toLowerCase()
    .split(',')
    .filter((range) => !/;\s*q=0(\.0*)?\s*(;|$)/.test(range))
    .map((range) => range.split(';')[0]?.trim() ?? '');
}

/** As JSON or event stream, whichever the client accepts; the choice of `answer` if both. */
export async function inAcceptedType(
  accept: string | undefined,
  answer: (accept: string) => Promise<Response>,
): Promise<Response> {
  const ranges = mediaRanges(accept ?? '*/*');
  const takesStream = ranges.some((range) => range === 'text/event-stream' || range === 'text/*');
  const takesJson = ranges.some((range) => ['application/json', 'application/*', '*/*'].includes(range));
  if (!takesStream && !takesJson) return answer(accept ?? '');
  const response = await answer(BOTH);
  const type = response.headers.get('content-type') ?? '';
  if (!takesStream && type.startsWith('text/event-stream')) return asJson(response);
  if (!takesJson && response.ok && type.startsWith('application/json')) return asStream(response);
  return response;
}

async function asJson(stream: Response): Promise<Response> {
  const messages = (await stream.text())
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)) as object)
    .filter((message) => 'result' in message || 'error' in message);
  return Response.json(messages.length === 1 ? messages[0] : messages, { status: stream.status });
}

async function asStream(json: Response): Promise<Response> {
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform' };
  return new Response(`event: message\ndata: ${await json.text()}\n\n`, { status: json.status, headers });
}
