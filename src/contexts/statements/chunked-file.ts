import { createHash } from 'node:crypto';

const CHUNK_BYTES_MAX = 256 * 1_024;

export class ChunkedFile {
  private readonly hash = createHash('sha256');
  private waiting: Buffer[] = [];
  private waitingBytes = 0;
  private bytes = 0;
  private place = 0;

  constructor(private readonly keep: (place: number, bytes: Buffer) => Promise<void>) {}

  async add(part: Uint8Array): Promise<void> {
    this.hash.update(part);
    this.bytes += part.length;
    this.waiting.push(Buffer.from(part.buffer, part.byteOffset, part.length));
    this.waitingBytes += part.length;
    while (this.waitingBytes >= CHUNK_BYTES_MAX) await this.flush();
  }

  async end(): Promise<{ readonly bytes: number; readonly sha256: string }> {
    if (this.waitingBytes > 0) await this.flush();
    return { bytes: this.bytes, sha256: this.hash.digest('hex') };
  }

  private async flush(): Promise<void> {
    const all = Buffer.concat(this.waiting);
    const rest = all.subarray(CHUNK_BYTES_MAX);
    this.waiting = rest.length > 0 ? [rest] : [];
    this.waitingBytes = rest.length;
    await this.keep(this.place, all.subarray(0, CHUNK_BYTES_MAX));
    this.place += 1;
  }
}
