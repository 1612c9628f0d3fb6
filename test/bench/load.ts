/**
 * The load generator: a process of its own, so that it takes no time from the server it measures but the CPU's.
 * Requests are ready-made bytes on raw keep-alive sockets of 127.0.0.1, one under way per connection; what it
 * does for an answer is to find its status and its end. Bounded in time, and in the number of answers.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { connect, type Socket } from 'node:net';

/** Connections that send the same requests, one after the other and over again. */
export interface Group {
  readonly connections: number;
  readonly requests: readonly LoadRequest[];
}

export interface LoadRequest {
  /** Answers are counted, and their times kept, by label. */
  readonly label: string;
  /** The request as it goes over the wire; {@link UNIQUE} in it becomes a number never used before. */
  readonly text: string;
}

export interface Load {
  readonly port: number;
  readonly groups: readonly Group[];
  readonly seconds: number;
  /** Seconds before that, which count for nothing. */
  readonly warmUpSeconds?: number;
  readonly answersMax?: number;
}

export interface Measured {
  /** Answers with status 200 or 201. */
  readonly ok: number;
  /** Answers of any status, the warm-up's included. */
  readonly all: number;
  readonly others: Readonly<Record<string, number>>;
  readonly perSecond: number;
  /** Milliseconds, of those answers. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

const UNIQUE = '#unique-number-here#';

/** A JSON request. */
export function request(
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: object,
): string {
  const text = body ? JSON.stringify(body) : '';
  const all = {
    host: '127.0.0.1',
    ...headers,
    ...(body && { 'content-type': 'application/json', 'content-length': text.length }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${String(value)}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`;
}

/** Runs one load after the other in the generator's process. */
export class LoadGenerator {
  private readonly process: ChildProcess = fork(import.meta.filename, { serialization: 'json' });

  run(load: Load): Promise<Record<string, Measured>> {
    return new Promise((resolve, reject) => {
      const onExit = (): void => reject(new Error('the load generator ended'));
      this.process.once('exit', onExit);
      this.process.once('message', (answer) => {
        this.process.off('exit', onExit);
        resolve(answer as Record<string, Measured>);
      });
      this.process.send(load);
    });
  }

  stop(): void {
    this.process.disconnect();
  }
}

class Tally {
  ok = 0;
  all = 0;
  readonly others: Record<string, number> = {};
  readonly times: number[] = [];

  measured(seconds: number): Measured {
    const sorted = Float64Array.from(this.times).sort();
    const at = (share: number): number =>
      sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
    return {
      ok: this.ok,
      all: this.all,
      others: this.others,
      perSecond: this.ok / seconds,
      p50: at(0.5),
      p99: at(0.99),
      max: at(1),
    };
  }
}

let uniqueNumber = Date.now() * 1_000;

/** One prepared request; its bytes are shared by the connections, which send it one at a time each. */
class Prepared {
  readonly label: string;
  private readonly bytes: Buffer;
  private readonly uniqueAt: number;

  constructor({ label, text }: LoadRequest) {
    this.label = label;
    this.bytes = Buffer.from(text, 'latin1');
    this.uniqueAt = this.bytes.indexOf(UNIQUE);
  }

  next(): Buffer {
    if (this.uniqueAt < 0) return this.bytes;
    const bytes = Buffer.from(this.bytes);
    bytes.write(String((uniqueNumber += 1)).padStart(UNIQUE.length, '0'), this.uniqueAt, 'latin1');
    return bytes;
  }
}

const HEADER_END = Buffer.from('\r\n\r\n');
const LENGTH = Buffer.from('content-length: ');
const STATUS_AT = 'HTTP/1.1 '.length;
const DIGIT_ZERO = 0x30;

/** The whole number that stands at `at`. */
function numberAt(bytes: Buffer, at: number): number {
  let number = 0;
  for (let i = at; i < bytes.length; i += 1) {
    const digit = (bytes[i] as number) - DIGIT_ZERO;
    if (digit < 0 || digit > 9) break;
    number = 10 * number + digit;
  }
  return number;
}

/** The status of the answer that `bytes` holds whole, or 0 when more has to come. */
function statusOf(bytes: Buffer): number {
  const headerEnd = bytes.indexOf(HEADER_END);
  if (headerEnd < 0) return 0;
  const at = bytes.indexOf(LENGTH);
  const length = at < 0 || at > headerEnd ? 0 : numberAt(bytes, at + LENGTH.length);
  return bytes.length >= headerEnd + HEADER_END.length + length ? numberAt(bytes, STATUS_AT) : 0;
}

const READ_BYTES_MAX = 64 * 1024;

/**
 * A connection that answers `answered` with the status of each answer. What it reads comes into one buffer of its own: the
 * stream of a socket would take more of the cores from the server that is measured, the more answers it gives.
 */
function connection(port: number, answered: (status: number) => void): Socket {
  let begun: Buffer | null = null;
  const read = (length: number, buffer: Buffer): boolean => {
    const bytes = buffer.subarray(0, length);
    const answer: Buffer = begun ? Buffer.concat([begun, bytes]) : bytes;
    const status = statusOf(answer);
    // What the next read overwrites is copied.
    if (status === 0) begun = answer === bytes ? Buffer.from(bytes) : answer;
    else {
      begun = null;
      answered(status);
    }
    return true;
  };
  const onread = {
    buffer: Buffer.allocUnsafe(READ_BYTES_MAX),
    callback: read as (n: number, b: Uint8Array) => boolean,
  };
  return connect({ port, host: '127.0.0.1', noDelay: true, onread });
}

async function run({ port, groups, seconds, warmUpSeconds = 0, answersMax = Infinity }: Load) {
  const tallies: Record<string, Tally> = {};
  let answers = 0;
  const from = performance.now() + warmUpSeconds * 1_000;
  const until = from + seconds * 1_000;
  let last = from;
  const work = (requests: readonly Prepared[], first: number): Promise<void> =>
    new Promise((done, fail) => {
      let turn = first;
      let current = requests[0] as Prepared;
      let sentAt = 0;
      const send = (): void => {
        current = requests[turn++ % requests.length] as Prepared;
        sentAt = performance.now();
        socket.write(current.next());
      };
      const socket = connection(port, (status) => {
        const now = performance.now();
        const tally = (tallies[current.label] ??= new Tally());
        tally.all += 1;
        if (now >= from && now <= until) {
          if (status === 200 || status === 201) {
            tally.ok += 1;
            tally.times.push(now - sentAt);
          } else tally.others[status] = (tally.others[status] ?? 0) + 1;
          answers += 1;
          last = now;
        }
        if (now < until && answers < answersMax) send();
        else socket.destroy();
      });
      socket.on('error', fail).on('close', () => done());
      send();
    });
  const connections = groups.flatMap(({ connections: count, requests }) => {
    const prepared = requests.map((each) => new Prepared(each));
    // The connections start spread over the requests, and so stay apart.
    return Array.from({ length: count }, (_, i) => work(prepared, Math.floor((i * prepared.length) / count)));
  });
  await Promise.all(connections);
  const took = (answersMax < Infinity ? last - from : seconds * 1_000) / 1_000;
  return Object.fromEntries(Object.entries(tallies).map(([label, tally]) => [label, tally.measured(took)]));
}

if (process.argv[1] === import.meta.filename) {
  process.on('message', (load: Load) => {
    void run(load).then((measured) => process.send?.(measured));
  });
}
