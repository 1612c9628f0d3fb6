import { errorOf, inDoubt, OutcomeUnknownError, PaymentAbortedError, UnavailableError } from './errors.js';
import { followsUnknownOutcome } from './retry.js';

/**
 * Returns what `read` finds in a successful response; anything else throws its error. A proxy may answer in place of
 * the service, in which case `read` finds nothing.
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
    const isUnclear = idempotencyKey !== null && followsUnknownOutcome(response);
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
