import type { ListedEndpoint } from '../../api/types.js';
import { Tag } from '../../parts/display/tag.js';

export function EndpointTag({ endpoint: { status, health } }: { endpoint: ListedEndpoint }) {
  if (status !== 'enabled') return <Tag tone="wait">Paused</Tag>;
  return health.failingSince ? <Tag tone="bad">Failing</Tag> : <Tag tone="good">Active</Tag>;
}
