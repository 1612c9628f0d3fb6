import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Reads of one download: they alone may come from a replica. Once on the primary they stay, so that no page
 * is older than the last.
 */
export class Download {
  isOnPrimary = false;
  lagMs: number | undefined;
}

export interface DownloadSource {
  /** Null: read it from the primary. Throws what `Reads` refuse. */
  query<Row>(download: Download, text: string, values: readonly unknown[]): Promise<Row[] | null>;
}

const current = new AsyncLocalStorage<Download>();

export function currentDownload(): Download | undefined {
  return current.getStore();
}

export function within<T>(download: Download, work: () => T): T {
  return current.run(download, work);
}
