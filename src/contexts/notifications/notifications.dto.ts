import { ApiProperty, getSchemaPath } from '@nestjs/swagger';
import {
  ATTEMPT_EVENT_NAMES,
  type AttemptData,
  EVENT_NAMES,
  type EventName,
  EXAMPLES,
} from './notifications.domain.js';

const ID = EXAMPLES['payment.approved'].transactionId;

const WORDS: Readonly<Record<EventName, { readonly schema: string; readonly summary: string }>> = {
  'wallet.funded': { schema: 'WalletFundedEvent', summary: 'Money arrived and the wallet was credited.' },
  'payment.approved': {
    schema: 'PaymentApprovedEvent',
    summary: 'All six checks passed: the wallet was debited and the money is on its way.',
  },
  'payment.blocked': { schema: 'PaymentBlockedEvent', summary: 'A check failed: nothing moved.' },
  'payment.settled': { schema: 'PaymentSettledEvent', summary: 'The bank has paid the recipient.' },
  'payment.refunded': {
    schema: 'PaymentRefundedEvent',
    summary: 'The bank did not pay the recipient: the money is back in the wallet.',
  },
  'payment.returned': {
    schema: 'PaymentReturnedEvent',
    summary:
      'The bank sent a payment back after it had paid it. That is being resolved: the wallet is not refunded by this.',
  },
  'wallet.low_balance': {
    schema: 'WalletLowBalanceEvent',
    summary: 'The balance fell from at or above the threshold of the wallet to below it.',
  },
  'wallet.limit_warning': {
    schema: 'WalletLimitWarningEvent',
    summary:
      'Payments reached 80 or 100 % of a limit for a period, or of the total limit of a key: once in its window, and again after a change of the limit.',
  },
  'wallet.status_changed': {
    schema: 'WalletStatusChangedEvent',
    summary: 'The owner suspended the wallet, let it pay again, or closed it.',
  },
  'approval.requested': {
    schema: 'ApprovalRequestedEvent',
    summary: 'A payment waits for approval: its amount is held until the owner decides or it expires.',
  },
  'approval.decided': {
    schema: 'ApprovalDecidedEvent',
    summary:
      'A payment waits no more: it was `approved`, `denied`, or has `expired`. `payment.approved` or `payment.blocked` is sent too.',
  },
};

const fieldsOfAttempts = (...fields: readonly (keyof AttemptData)[]): string[] =>
  ATTEMPT_EVENT_NAMES.flatMap((event) => fields.map((field) => `${event} ${field}`));

const NULLABLE: ReadonlySet<string> = new Set([
  ...fieldsOfAttempts('reason', 'keyName'),
  'wallet.low_balance transactionId',
  'wallet.limit_warning keyId',
  'wallet.limit_warning periodWindowDays',
  'approval.decided decidedById',
  'approval.decided note',
]);

const OPTIONAL: ReadonlySet<string> = new Set(
  fieldsOfAttempts('keyId', 'keyPrefix', 'keyName', 'purpose', 'runId', 'rationale'),
);

function bodyClass(event: EventName): new () => object {
  const { schema } = WORDS[event];
  const data = classNamed(`${schema}Data`);
  const body = classNamed(schema);
  for (const [field, example] of Object.entries(EXAMPLES[event]) as [string, string | number | null][]) {
    ApiProperty({
      type: typeof example === 'number' ? 'integer' : String,
      example,
      ...(/At$/.test(field) && { format: 'date-time' }),
      ...(/Id$/.test(field) && field !== 'runId' && { format: 'uuid' }),
      ...(NULLABLE.has(`${event} ${field}`) && { nullable: true }),
      ...(OPTIONAL.has(`${event} ${field}`) && { required: false }),
    })(data.prototype, field);
  }
  ApiProperty({ enum: [event], example: event })(body.prototype, 'event');
  ApiProperty({ type: data })(body.prototype, 'data');
  return body;
}

function classNamed(name: string): { new (): object; prototype: object } {
  const made = function () {};
  Object.defineProperty(made, 'name', { value: name });
  return made as unknown as { new (): object; prototype: object };
}

/** In the order of {@link EVENT_NAMES}. */
export const EVENT_BODIES = EVENT_NAMES.map(bodyClass);

/** `webhooks` of the OpenAPI document. */
export function outboundWebhooks(): Record<string, object> {
  const header = (name: string, description: string, example: string) => ({
    name,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string' },
    example,
  });
  return Object.fromEntries(
    EVENT_NAMES.map((event, i) => [
      event,
      {
        post: {
          operationId: WORDS[event].schema,
          tags: ['outbound webhooks'],
          summary: WORDS[event].summary,
          description:
            'Sent to the endpoints that listen to it, at least once: answer 2xx within 15 seconds, and tell repeats by ' +
            'webhook-id. Verify with a Standard Webhooks library before reading the body.',
          parameters: [
            header('webhook-id', 'The same over retries and replays.', ID),
            header('webhook-timestamp', 'Seconds since 1970 of this attempt.', '1795242600'),
            header(
              'webhook-signature',
              'One or more, separated by spaces: one for each active secret.',
              'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
            ),
          ],
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: { $ref: getSchemaPath(EVENT_BODIES[i] as new () => object) },
                example: { event, data: EXAMPLES[event] },
              },
            },
          },
          responses: { '2XX': { description: 'Received. Anything else is tried again.' } },
        },
      },
    ]),
  );
}
