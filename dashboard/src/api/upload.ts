/** The service gives up on a request that took longer to arrive; it looks every 2 s. */
export const ARRIVAL_SECONDS_MAX = 15;
const UPLOAD_MS_MAX = (ARRIVAL_SECONDS_MAX + 3) * 1_000;
/** From then on the service works on it. */
const ANSWER_MS_MAX = 60_000;

export interface Upload {
  /** Bytes that were sent so far. */
  readonly onProgress: (bytes: number) => void;
  readonly signal: AbortSignal;
}

/**
 * A `fetch` that sends `file` and says how far it is, which the browser's own can't. A file that takes too long is
 * answered REQUEST_TIMEOUT, also where the service hung up without a word.
 */
export function uploading(file: File, { onProgress, signal }: Upload) {
  return (request: Request): Promise<Response> =>
    new Promise((resolve, reject) => {
      const sending = new XMLHttpRequest();
      const begunAt = performance.now();
      let isSent = false;
      const fail = () => {
        const isLate = !isSent && performance.now() - begunAt >= (ARRIVAL_SECONDS_MAX - 1) * 1_000;
        if (isLate && !signal.aborted)
          resolve(Response.json({ error: { code: 'REQUEST_TIMEOUT' } }, { status: 408 }));
        else reject(new TypeError('the file could not be sent'));
      };
      sending.upload.onprogress = ({ loaded }) => onProgress(loaded);
      sending.upload.onload = () => {
        isSent = true;
        sending.timeout = UPLOAD_MS_MAX + ANSWER_MS_MAX;
      };
      sending.onload = () => resolve(new Response(sending.responseText, { status: sending.status }));
      sending.onerror = fail;
      sending.ontimeout = fail;
      sending.onabort = fail;
      sending.open(request.method, request.url);
      sending.timeout = UPLOAD_MS_MAX;
      for (const [name, value] of request.headers) sending.setRequestHeader(name, value);
      signal.addEventListener('abort', () => sending.abort(), { once: true });
      sending.send(file);
    });
}
