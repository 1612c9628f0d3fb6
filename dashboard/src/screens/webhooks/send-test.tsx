import { Button, Menu } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { sendTest } from '../../api/webhooks.js';
import type { Endpoint, EventName } from '../../api/types.js';
import { Refused } from '../../parts/loading/failure.js';
import { EVENTS } from '../../text/webhook-events.js';
import { useMay } from '../../session/session.js';

/** Sends an example of an event. */
export function SendTest({ endpoint, onSent }: { endpoint: Endpoint; onSent: () => void }) {
  const test = useMutation({
    mutationFn: (event: EventName) => sendTest(endpoint.id, event),
    onSuccess: onSent,
  });
  const may = useMay('webhooks.manage');
  return (
    <>
      <Menu position="bottom-start">
        <Menu.Target>
          <Button loading={test.isPending} disabled={endpoint.status !== 'enabled' || !may}>
            Send test
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>Example event</Menu.Label>
          {EVENTS.map(({ name }) => (
            <Menu.Item key={name} onClick={() => test.mutate(name)}>
              {name}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Refused error={test.error} />
    </>
  );
}
