/**
 * Sends spans to OTEL_EXPORTER_OTLP_ENDPOINT by OTLP over HTTP. scripts/run.mjs has Node `--import` it before the
 * service if that is set; without it nothing of the SDK is loaded.
 */
import { readFileSync } from 'node:fs';
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';

/** Spans that wait to be sent; later ones are dropped. */
const QUEUE_MAX = 8_192;
const SEND_EVERY_MS = 1_000;
/** A batch links as many payments. */
const LINKS_MAX = 500;

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const share = Number(process.env.OTEL_TRACES_SAMPLER_ARG || 1);

const provider = new TracerProvider({
  resource: defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'agent-payment-wallet', 'service.version': version }))
    .merge(detectResources({ detectors: [serviceInstanceIdDetector, envDetector] })),
  sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
  spanLimits: { linkCountLimit: LINKS_MAX },
  spanProcessors: [
    new BatchSpanProcessor({
      exporter: new OTLPTraceExporter(),
      maxQueueSize: QUEUE_MAX,
      scheduledDelayMillis: SEND_EVERY_MS,
    }),
  ],
});
context.setGlobalContextManager(new AsyncLocalStorageContextManager());
propagation.setGlobalPropagator(new W3CTraceContextPropagator());
trace.setGlobalTracerProvider(provider);
// For src/platform/observability/tracing.ts, which imports nothing of the SDK.
globalThis.walletTracing = provider;
