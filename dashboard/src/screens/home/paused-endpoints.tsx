import { Alert, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { pausedEndpointsQuery } from '../../api/webhooks.js';
import { Moment } from '../../parts/display/moment.js';

/** Webhook endpoints that the service paused: what happens meanwhile is not sent to them later. */
export function PausedEndpoints() {
  const { data: paused = [] } = useQuery(pausedEndpointsQuery);
  if (paused.length === 0) return null;
  return (
    <Alert color="yellow" variant="light" role="status" title="Webhooks are paused">
      {paused.map(({ id, url, disabledReason, disabledAt }) => (
        <Text key={id} size="sm" className="wrap">
          <Link to={`/webhooks/${id}`}>{url}</Link>: {disabledReason}. Nothing has been sent to it
          {disabledAt && (
            <>
              {' '}
              since <Moment at={disabledAt} />
            </>
          )}
          .
        </Text>
      ))}
    </Alert>
  );
}
