import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { pushBrowsers, removePushBrowser } from '../../api/notifications.js';
import { queryKeys } from '../../api/query-keys.js';
import { Card } from '../../parts/display/card.js';
import { Moment } from '../../parts/display/moment.js';
import { Tag } from '../../parts/display/tag.js';
import { Answer } from '../../parts/loading/answer.js';
import { BlocksLoading } from '../../parts/loading/loading.js';
import { toast } from '../../parts/toasts/toasts.js';
import { endpointHere, permission, turnOff, turnOn } from '../../push/this-browser.js';
import { useUser } from '../../session/session.js';
import { deviceOf } from '../../text/device.js';
import { messageOf } from '../../text/words.js';

/** Browsers that notifications are pushed to, this one first to be turned on. */
export function PushBrowsers() {
  const client = useQueryClient();
  const { id: userId } = useUser();
  const query = useQuery({ queryKey: queryKeys.pushBrowsers, queryFn: readWithHere });
  const onSettled = () => void client.invalidateQueries({ queryKey: queryKeys.pushBrowsers });
  const onError = (error: unknown) => void toast({ tone: 'bad', message: failure(error) });
  const turning = useMutation({
    mutationFn: (publicKey: string) => turnOn(userId, publicKey),
    onSuccess: (endpoint) => {
      if (endpoint !== null) void toast({ message: 'Notifications are on in this browser' });
    },
    onError,
    onSettled,
  });
  const removing = useMutation({
    mutationFn: async ({ id, isHere }: { id: string; isHere: boolean }) => {
      if (isHere) await turnOff();
      await removePushBrowser(id);
    },
    onError,
    onSettled,
  });
  return (
    <Card title="Notifications in browsers">
      <Answer of={query} what="Your browsers" loading={<BlocksLoading heights={[90]} />}>
        {({ data, publicKey, here }) => (
          <Stack gap="sm">
            <Text size="sm" c="dimmed">
              They arrive even when no tab is open. They show amounts and merchants, and stop when you sign
              out.
            </Text>
            {data.length > 0 && (
              <ul className="rows">
                {data.map(({ id, device, endpoint, createdAt }) => (
                  <li key={id}>
                    <div className="row row-plain row-ends">
                      <div>
                        <Group gap="xs">
                          <Text size="sm" fw={500} className="wrap">
                            {deviceOf(device)}
                          </Text>
                          {endpoint === here && <Tag tone="info">This one</Tag>}
                        </Group>
                        <Text size="xs" c="dimmed">
                          Turned on <Moment at={createdAt} />
                        </Text>
                      </div>
                      <Button
                        size="xs"
                        variant="default"
                        loading={removing.isPending && removing.variables.id === id}
                        onClick={() => removing.mutate({ id, isHere: endpoint === here })}
                      >
                        Turn off
                      </Button>
                    </div>
                  </li>
                ))}
              </ul>
            )}
            {data.every(({ endpoint }) => endpoint !== here) && (
              <TurnOn isBusy={turning.isPending} onClick={() => turning.mutate(publicKey)} />
            )}
          </Stack>
        )}
      </Answer>
    </Card>
  );
}

const readWithHere = async () => {
  const [answer, here] = await Promise.all([pushBrowsers(), endpointHere()]);
  return { ...answer, here };
};

function TurnOn({ isBusy, onClick }: { isBusy: boolean; onClick: () => void }) {
  const may = permission();
  if (may === 'unsupported')
    return (
      <Text size="sm">
        This browser can’t receive them. On an iPhone or iPad, add this page to the Home Screen first.
      </Text>
    );
  if (may === 'denied')
    return (
      <Text size="sm">
        This browser blocks notifications of this page. Allow them in the browser’s settings for this site,
        then reload the page.
      </Text>
    );
  return (
    <div>
      <Button loading={isBusy} onClick={onClick}>
        Turn on in this browser
      </Button>
    </div>
  );
}

/** The browser's push service may be out of reach. */
function failure(error: unknown): string {
  return error instanceof DOMException
    ? 'This browser could not reach its push service. Try again later.'
    : messageOf(error);
}
