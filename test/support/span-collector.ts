import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from './service.js';

export interface CollectedSpan {
  readonly traceId: string;
  readonly id: string;
  /** Empty for the first of a trace. */
  readonly parentId: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly links: readonly { readonly traceId: string; readonly id: string }[];
  readonly isFailed: boolean;
}

type Value = bigint | Buffer;

/** Fields of a protobuf message by number, as they came. */
function fieldsOf(bytes: Buffer): Map<number, Value[]> {
  const fields = new Map<number, Value[]>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++]!;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Buffer => bytes.subarray(at, (at += length));
  while (at < bytes.length) {
    const tag = Number(varint());
    const type = tag & 7;
    if (![0, 1, 2, 5].includes(type)) throw new Error(`a field of the unknown type ${type}`);
    const value = type === 0 ? varint() : take(type === 1 ? 8 : type === 5 ? 4 : Number(varint()));
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value]);
  }
  return fields;
}

const messages = (from: Map<number, Value[]>, field: number): Map<number, Value[]>[] =>
  (from.get(field) ?? []).map((value) => fieldsOf(value as Buffer));
const textOf = (from: Map<number, Value[]>, field: number): string => String(from.get(field)?.[0] ?? '');
const hexOf = (from: Map<number, Value[]>, field: number): string =>
  ((from.get(field)?.[0] as Buffer | undefined) ?? Buffer.alloc(0)).toString('hex');
const numberOf = (from: Map<number, Value[]>, field: number): number => Number(from.get(field)?.[0] ?? 0n);

function attributeOf(pair: Map<number, Value[]>): [string, string | number | boolean] {
  const [value] = messages(pair, 2);
  if (value!.has(1)) return [textOf(pair, 1), textOf(value!, 1)];
  return [textOf(pair, 1), value!.has(2) ? numberOf(value!, 2) === 1 : numberOf(value!, 3)];
}

/** By opentelemetry-proto: `Span` in trace.proto. */
function spanOf(span: Map<number, Value[]>): CollectedSpan {
  return {
    traceId: hexOf(span, 1),
    id: hexOf(span, 2),
    parentId: hexOf(span, 4),
    name: textOf(span, 5),
    kind: numberOf(span, 6),
    attributes: Object.fromEntries(messages(span, 9).map(attributeOf)),
    links: messages(span, 13).map((link) => ({ traceId: hexOf(link, 1), id: hexOf(link, 2) })),
    isFailed: messages(span, 15).some((status) => numberOf(status, 3) === 2),
  };
}

/** Takes spans as a collector does: OTLP by HTTP, in protobuf. */
export class SpanCollector {
  readonly spans: CollectedSpan[] = [];
  /** All that it was sent. */
  readonly bodies: Buffer[] = [];
  private readonly server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const isSpans =
        request.url === '/v1/traces' && request.headers['content-type'] === 'application/x-protobuf';
      if (isSpans) this.take(Buffer.concat(chunks));
      response.writeHead(isSpans ? 200 : 400, { 'content-type': 'application/x-protobuf' }).end();
    });
  });

  static async start(): Promise<SpanCollector> {
    const collector = new SpanCollector();
    await new Promise<void>((resolve) => collector.server.listen(0, '127.0.0.1', resolve));
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  private take(body: Buffer): void {
    this.bodies.push(body);
    for (const ofResource of messages(fieldsOf(body), 1))
      for (const ofScope of messages(ofResource, 2)) this.spans.push(...messages(ofScope, 2).map(spanOf));
  }

  /** Spans that `isWanted`, once there are `count`. */
  async find(isWanted: (span: CollectedSpan) => boolean, count = 1): Promise<CollectedSpan[]> {
    await until(() => Promise.resolve(this.spans.filter(isWanted).length >= count));
    return this.spans.filter(isWanted);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
