export const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

const RETRIES_MAX = 4;

/** Retries after a deadlock or a lost connection. */
export async function withRetry<T>(work: () => Promise<T>): Promise<T> {
  for (let i = 0; ; i += 1) {
    try {
      return await work();
    } catch (error) {
      if (i >= RETRIES_MAX) throw error;
      await sleep(100 * 2 ** i);
    }
  }
}
