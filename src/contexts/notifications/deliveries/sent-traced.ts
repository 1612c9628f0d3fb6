import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { currentTraceParent, inSpan, isTraced } from '../../../platform/observability/tracing.js';
import type { Claimed, DeliveryAttempt } from './deliveries.domain.js';
import type { Sender, WebhookMessage } from './sender.js';

export function sendTraced(
  sender: Sender,
  { id, endpointId, traceParent, tries }: Claimed,
  message: WebhookMessage,
): Promise<DeliveryAttempt> {
  if (!isTraced) return sender.send(message);
  const attributes = {
    'wallet.delivery_id': id,
    'wallet.event_id': message.id,
    'wallet.endpoint_id': endpointId,
    'wallet.attempt': tries + 1,
  };
  return inSpan(
    'webhook attempt',
    { kind: SpanKind.CLIENT, parent: traceParent, attributes },
    async (span) => {
      const attempt = await sender.send({ ...message, traceparent: currentTraceParent() });
      const { statusCode } = attempt;
      if (statusCode !== null) span?.setAttribute('http.response.status_code', statusCode);
      if (statusCode === null || statusCode >= 400) span?.setStatus({ code: SpanStatusCode.ERROR });
      return attempt;
    },
  );
}
