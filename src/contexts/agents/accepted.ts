/** What the MCP handler takes; with less it refuses a request of revision 2025-11-25. */
const BOTH = 'application/json, text/event-stream';

/** The media ranges of an `Accept` header that are not refused by `q=0`, in lower case. */
function mediaRanges(accept: string): string[] {
  return accept
    .toLowerCase()
    .split(',')
    .filter((range) => !/;\s*q=0(\.0*)?\s*(;|$)/.test(range))
    .map((range) => range.split(';')[0]?.trim() ?? '');
}

/**
 * Answers in what the client accepts: JSON alone, an event stream alone, or whichever `answer` chose where both are named.
 * JSON where anything is accepted. A client that accepts neither is left to `answer`, which is given the header to read.
 */
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

/** The responses of an event stream that ends: one, or an array of them for a batch. */
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
