import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from 'react-router';
import { queryKeys } from '../../api/query-keys.js';
import type { EndpointSettings, ListedEndpoint } from '../../api/types.js';
import { createEndpoint, newestEndpointAt } from '../../api/webhooks.js';
import { MaybeCreated } from '../../parts/forms/maybe-created.js';
import { Moment } from '../../parts/display/moment.js';
import { useLostAnswer } from '../../parts/forms/use-lost-answer.js';
import { holdUntilStored, signingSecretOf } from '../../session/secrets.js';
import { EndpointForm } from './endpoint-form.js';

export function NewEndpoint({ onCancel }: { onCancel: () => void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { found, create } = useLostAnswer<ListedEndpoint>('new endpoint without an answer');
  // Also where the answer was lost: the list shows whether there is one more.
  const refresh = () => void client.invalidateQueries({ queryKey: queryKeys.endpoints() });
  const save = (settings: EndpointSettings) =>
    create(
      () => newestEndpointAt(settings.url),
      () => createEndpoint(settings),
    ).finally(refresh);
  return (
    <EndpointForm
      name="settings of a new endpoint"
      submit="Add endpoint"
      onCancel={onCancel}
      save={save}
      notice={found && <Alike endpoint={found} />}
      onSaved={(created) => {
        if (!created) return;
        holdUntilStored(signingSecretOf(created.id), created.secret);
        void navigate(`/webhooks/${created.id}`);
      }}
    />
  );
}

function Alike({ endpoint: { id, url, createdAt } }: { endpoint: ListedEndpoint }) {
  return (
    <MaybeCreated>
      There is an endpoint for {url}, created <Moment at={createdAt} />.{' '}
      <Link to={`/webhooks/${id}`}>Open it</Link> and rotate its secret if it is this one. Otherwise press
      “Add endpoint” again.
    </MaybeCreated>
  );
}
