import type { DeliveryStatus } from '../../api/types.js';
import { Tag } from '../../parts/display/tag.js';

const TONES = { pending: 'wait', succeeded: 'good', failed: 'bad' } as const;

export const DELIVERY_WORDS = { pending: 'Pending', succeeded: 'Delivered', failed: 'Failed' } as const;

export function DeliveryTag({
  delivery: { status, attemptCount },
}: {
  delivery: { status: DeliveryStatus; attemptCount: number };
}) {
  if (status === 'pending' && attemptCount > 0) return <Tag tone="wait">Retrying</Tag>;
  return <Tag tone={TONES[status]}>{DELIVERY_WORDS[status]}</Tag>;
}
