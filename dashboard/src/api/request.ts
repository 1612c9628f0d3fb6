import createClient from 'openapi-fetch';
import type { paths } from './schema.js';
import { takeEarly } from '../start/early.js';
import { secondFactor } from './second-factor.js';

/** The API said no, or could not be reached (`status` 0). `fields` names what was wrong where. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly fields: Readonly<Record<string, string>> = {},
    readonly transactionId?: string,
  ) {
    super(message);
  }

  /** Trying again may help: it is the service or the way to it that failed. */
  get isTransient(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

interface FieldProblem {
  field?: string;
  path?: string;
  message: string;
}

/** The three error envelopes of the API, laid over each other. */
interface ErrorBody {
  error?: { code?: string; message?: string; errors?: FieldProblem[] };
  code?: string;
  message?: string;
  errors?: (FieldProblem & { code?: string })[];
  transactionId?: string;
}

/**
 * The API of this origin as its own OpenAPI document describes it: a call that it does not know, or knows otherwise,
 * does not compile. The session travels in a cookie that no script can read.
 */
export const api = createClient<paths>({
  credentials: 'same-origin',
  headers: { accept: 'application/json' },
  fetch: (request) => takeEarly(request) ?? fetch(request),
});

api.use(secondFactor);

/** What a call answers. Throws {@link ApiError}. */
export async function answerOf<Data>(
  call: Promise<{ data?: Data; error?: unknown; response: Response }>,
): Promise<Data> {
  const { data, error, response } = await call.catch(() => {
    throw new ApiError(0, 'UNREACHABLE', 'The service could not be reached.');
  });
  if (!response.ok || data === undefined) throw errorOf(response, error);
  return data;
}

function errorOf(response: Response, answer: unknown): ApiError {
  const body = (typeof answer === 'object' ? (answer ?? {}) : {}) as ErrorBody;
  const problems = body.error?.errors ?? body.errors ?? [];
  const code = body.error?.code ?? body.code ?? body.errors?.[0]?.code ?? 'UNKNOWN';
  const message = body.error?.message ?? body.message ?? problems[0]?.message;
  const fields = Object.fromEntries(
    problems.map(({ field, path, message: why }) => [field ?? path ?? '', why]),
  );
  return new ApiError(
    response.status,
    code,
    message ?? `The service answered with status ${response.status}.`,
    fields,
    body.transactionId,
  );
}

export async function data<T>(answer: Promise<{ data: T }>): Promise<T> {
  return (await answer).data;
}
