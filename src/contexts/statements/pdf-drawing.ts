import { Worker } from 'node:worker_threads';
import type { PdfHead, PdfRow } from './statement-files.domain.js';

const HEAP_MB_MAX = 256;
const WORKER = new URL(
  `./statement-pdf.worker.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`,
  import.meta.url,
);

export class PdfDrawing {
  private readonly worker: Worker;
  private failed: Error | undefined;
  private settle: { resolve: (bytes: Uint8Array) => void; reject: (error: Error) => void } | undefined;

  static start(head: PdfHead): PdfDrawing {
    return new PdfDrawing(head);
  }

  private constructor(head: PdfHead) {
    this.worker = new Worker(WORKER, {
      workerData: head,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
      execArgv: [],
    });
    this.worker.on('message', (bytes: Uint8Array) => this.settle?.resolve(bytes));
    this.worker.on('error', (error: Error) => this.fail(error));
    this.worker.on('exit', () => this.fail(new Error('the thread that draws ended')));
  }

  /** One call at a time. */
  draw(rows: readonly PdfRow[]): Promise<Uint8Array> {
    return this.ask(rows);
  }

  end(): Promise<Uint8Array> {
    return this.ask(null);
  }

  async close(): Promise<void> {
    await this.worker.terminate();
  }

  private ask(message: readonly PdfRow[] | null): Promise<Uint8Array> {
    if (this.failed) return Promise.reject(this.failed);
    return new Promise((resolve, reject) => {
      this.settle = { resolve, reject };
      this.worker.postMessage(message);
    });
  }

  private fail(error: Error): void {
    this.failed ??= error;
    this.settle?.reject(error);
  }
}
