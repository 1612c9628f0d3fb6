import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { endSession, sessions as readSessions, signOutEverywhere } from '../../api/account.js';
import { queryKeys } from '../../api/query-keys.js';
import { Answer } from '../../parts/loading/answer.js';
import { Card } from '../../parts/display/card.js';
import { BlocksLoading } from '../../parts/loading/loading.js';
import { Moment } from '../../parts/display/moment.js';
import { Tag } from '../../parts/display/tag.js';
import { toast } from '../../parts/toasts/toasts.js';
import { clearSession } from '../../session/session.js';
import { deviceOf } from '../../text/device.js';
import { messageOf } from '../../text/words.js';

export function Sessions() {
  const client = useQueryClient();
  const query = useQuery({ queryKey: queryKeys.sessions, queryFn: readSessions });
  const onError = (error: unknown) => void toast({ tone: 'bad', message: messageOf(error) });
  const ending = useMutation({
    mutationFn: endSession,
    onSuccess: () => void toast({ message: 'Session ended' }),
    onError,
    onSettled: () => void client.invalidateQueries({ queryKey: queryKeys.sessions }),
  });
  const leaving = useMutation({
    mutationFn: signOutEverywhere,
    onSuccess: () => clearSession(client),
    onError,
  });
  return (
    <Card
      title="Sessions"
      flush
      aside={
        <Button size="xs" variant="default" loading={leaving.isPending} onClick={() => leaving.mutate()}>
          Sign out everywhere
        </Button>
      }
    >
      <Answer of={query} what="Your sessions" loading={<BlocksLoading heights={[49]} />}>
        {(all) => (
          <ul className="rows">
            {all.map(({ id, current, userAgent, address, createdAt }) => (
              <li key={id}>
                <div className="row row-plain row-ends">
                  <div>
                    <Group gap="xs">
                      <Text size="sm" fw={500} className="wrap">
                        {deviceOf(userAgent)}
                      </Text>
                      {current && <Tag tone="info">This one</Tag>}
                    </Group>
                    <Text size="xs" c="dimmed">
                      {address && `${address} · `}Signed in <Moment at={createdAt} />
                    </Text>
                  </div>
                  {!current && (
                    <Button
                      size="xs"
                      variant="default"
                      loading={ending.isPending && ending.variables === id}
                      onClick={() => ending.mutate(id)}
                    >
                      End
                    </Button>
                  )}
                </div>
              </li>
            ))}
          </ul>
        )}
      </Answer>
    </Card>
  );
}
