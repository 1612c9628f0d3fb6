import { errorOf, inDoubt, OutcomeUnknownError, PaymentAbortedError, UnavailableError } from './errors.js';
import { isBehindDoubt } from './retry.js';

/**
 * What `read` finds in the answer of a request that succeeded; everything else becomes an error of its class. Something
 * between the service and its client may answer in its place, a proxy's page of login for one: `read` finds nothing then.
 */
export async function answered<Data, Found>(
  request: Promise<{ data?: Data; error?: unknown; response: Response }>,
  read: (data: Data) => Found | null | undefined,
  idempotencyKey: string | null = null,
): Promise<{ found: Found; response: Response }> {
  const unclear = (status: number, code: string, message: string, cause?: unknown) =>
    idempotencyKey === null
      ? new UnavailableError({ status, code, message, cause }, null)
      : new OutcomeUnknownError({ status, code, message, cause, idempotencyKey });
  let answer: Awaited<typeof request>;
  try {
    answer = await request;
  } catch (cause) {
    if (cause instanceof Error && cause.name === 'AbortError') {
      throw idempotencyKey === null ? cause : new PaymentAbortedError(cause, idempotencyKey);
    }
    throw unclear(0, 'NO_ANSWER', 'The service did not answer.', cause);
  }
  const { data, error, response } = answer;
  if (!response.ok) {
    const refusal = errorOf(response, error, idempotencyKey);
    const isUnclear = idempotencyKey !== null && isBehindDoubt(response);
    throw isUnclear ? inDoubt(refusal) : refusal;
  }
  let found: Found | null | undefined;
  try {
    found = read(data as Data);
  } catch {
    found = undefined;
  }
  if (found !== undefined && found !== null) return { found, response };
  throw unclear(response.status, 'UNKNOWN_ANSWER', `The answer ${response.status} is none of the service's.`);
}
