import type { Endpoint } from '../../api/types.js';
import { Tag } from '../../parts/display/tag.js';

export function EndpointTag({ endpoint }: { endpoint: Endpoint }) {
  return endpoint.status === 'enabled' ? <Tag tone="good">Active</Tag> : <Tag tone="wait">Paused</Tag>;
}
