import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Attributes,
  type Context,
  context,
  diag,
  DiagLogLevel,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type TracerProvider,
} from '@opentelemetry/api';
import type { LimitedLog } from './limited-log.js';

/** Milliseconds; later spans are lost. */
const FLUSH_MS_MAX = 2_000;
const REASON_MAX = 200;

/** Left by scripts/tracing.mjs, if that was loaded before. */
const sdk = (globalThis as { walletTracing?: TracerProvider & { shutdown(): Promise<void> } }).walletTracing;
const tracer = sdk?.getTracer('agent-payment-wallet');

/** Ask before building anything for a span. */
export const isTraced = tracer !== undefined;

export interface SpanOptions {
  readonly kind?: SpanKind;
  /** `traceparent`; null: begins a trace; absent: the active span. */
  readonly parent?: string | null | undefined;
  /** `traceparent`s. */
  readonly links?: readonly (string | null | undefined)[];
  /** Ids and codes alone: no names, account numbers, keys or addresses. */
  readonly attributes?: Attributes;
}

/** W3C `traceparent` of the active span, sampled or not. */
export function currentTraceParent(): string | null {
  return isTraced ? traceParentOf(context.active()) : null;
}

/** A throw marks the span as failed, without its message. */
export async function inSpan<T>(
  name: string,
  options: SpanOptions,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  if (!tracer) return work(undefined);
  const { kind = SpanKind.INTERNAL, parent, links = [], attributes = {} } = options;
  const above = parent === undefined ? context.active() : contextOf(parent);
  const linked = links.flatMap((each) => trace.getSpanContext(contextOf(each)) ?? []);
  const span = tracer.startSpan(
    name,
    { kind, attributes, links: linked.map((each) => ({ context: each })) },
    above,
  );
  try {
    return await context.with(trace.setSpan(above, span), () => work(span));
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}

/** Continues the trace of the headers. The caller ends it. */
export function startRequestSpan(name: string, headers: IncomingHttpHeaders): Span | undefined {
  return tracer?.startSpan(name, { kind: SpanKind.SERVER }, propagation.extract(ROOT_CONTEXT, headers));
}

export function withSpan<T>(span: Span, work: () => T): T {
  return context.with(trace.setSpan(ROOT_CONTEXT, span), work);
}

/** Spans of `work` continue a stored trace. */
export function withTraceParent<T>(parent: string | null | undefined, work: () => T): T {
  return isTraced ? context.with(contextOf(parent), work) : work();
}

/** Says why no spans arrive at the collector. */
export function watchTracing(log: LimitedLog): void {
  if (!isTraced)
    log.warn(
      'OTEL_EXPORTER_OTLP_ENDPOINT: no traces; start with npm start or node --import ./scripts/tracing.mjs',
    );
  const ignore = (): void => undefined;
  const error = (message: string): void =>
    void log.warn(`traces can't be sent: ${message.slice(0, REASON_MAX)}`);
  diag.setLogger({ error, warn: ignore, info: ignore, debug: ignore, verbose: ignore }, DiagLogLevel.ERROR);
}

export async function stopTracing(): Promise<void> {
  if (!sdk) return;
  await Promise.race([sdk.shutdown().catch(() => undefined), sleep(FLUSH_MS_MAX, undefined, { ref: false })]);
}

function contextOf(traceparent: string | null | undefined): Context {
  return traceparent ? propagation.extract(ROOT_CONTEXT, { traceparent }) : ROOT_CONTEXT;
}

function traceParentOf(from: Context): string | null {
  const carrier: { traceparent?: string } = {};
  propagation.inject(from, carrier);
  return carrier.traceparent ?? null;
}
