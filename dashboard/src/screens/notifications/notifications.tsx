import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'react-router';
import { markRead, notifications } from '../../api/notifications.js';
import { queryKeys } from '../../api/query-keys.js';
import type { Notification } from '../../api/types.js';
import { Card } from '../../parts/display/card.js';
import { Moment } from '../../parts/display/moment.js';
import { Tag } from '../../parts/display/tag.js';
import { useTitle } from '../../parts/frame/title.js';
import { Empty } from '../../parts/lists/empty.js';
import { Pager } from '../../parts/lists/pager.js';
import { Answer } from '../../parts/loading/answer.js';
import { BlocksLoading } from '../../parts/loading/loading.js';
import { useAddress } from '../../parts/state/use-address.js';
import { toast } from '../../parts/toasts/toasts.js';
import { messageOf } from '../../text/words.js';

const ASK_EVERY_MS = 15_000;

/** Last hundred notifications, with what was done about them. */
export function Notifications() {
  useTitle('Notifications');
  const address = useAddress();
  const client = useQueryClient();
  const page = address.page();
  const query = useQuery({
    queryKey: queryKeys.notifications(page),
    queryFn: () => notifications(page),
    refetchInterval: ASK_EVERY_MS,
    placeholderData: keepPreviousData,
  });
  const reading = useMutation({
    mutationFn: markRead,
    onError: (error: unknown) => void toast({ tone: 'bad', message: messageOf(error) }),
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: queryKeys.notifications() }),
        client.invalidateQueries({ queryKey: queryKeys.unreadCount }),
      ]),
  });
  const unread = query.data?.unread ?? 0;
  return (
    <Stack gap="lg">
      <Group justify="space-between">
        <Title order={1}>Notifications</Title>
        <Group gap="xs">
          <Button variant="default" component={Link} to="/settings?tab=notifications">
            Notification settings
          </Button>
          <Button
            variant="default"
            disabled={unread === 0}
            loading={reading.isPending && reading.variables === undefined}
            onClick={() => reading.mutate(undefined)}
          >
            Mark all as read
          </Button>
        </Group>
      </Group>
      <Answer of={query} what="The notifications" loading={<BlocksLoading heights={[330]} />}>
        {({ data, pagination }) => (
          <>
            <Card title={unread === 0 ? 'All read' : `${unread} unread`} flush>
              {data.length === 0 ? (
                <Empty title="Nothing yet">
                  Approvals, failed payouts, low balances and the like are listed here and mailed to you.
                </Empty>
              ) : (
                <>
                  <ul className="rows">
                    {data.map((each) => (
                      <li key={each.id}>
                        <Row notification={each} onOpen={() => !each.readAt && reading.mutate([each.id])} />
                      </li>
                    ))}
                  </ul>
                  <Pager of={pagination} one="notification" />
                </>
              )}
            </Card>
          </>
        )}
      </Answer>
    </Stack>
  );
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function Row({ notification, onOpen }: { notification: Notification; onOpen: () => void }) {
  const { title, text, path, createdAt, readAt, outcome, outcomeBy } = notification;
  return (
    <Link to={path} className="row row-plain row-ends notice" onClick={onOpen}>
      <div>
        <Group gap="xs">
          <Text size="sm" fw={readAt ? 400 : 600} className="wrap">
            {title}
          </Text>
          {!readAt && <Tag tone="info">New</Tag>}
          {outcome && (
            <Tag tone="calm">
              {capitalized(outcome)}
              {outcomeBy && ` by ${outcomeBy}`}
            </Tag>
          )}
        </Group>
        <Text size="xs" c="dimmed" className="wrap">
          {text}
        </Text>
      </div>
      <Text size="xs" c="dimmed" component="span">
        <Moment at={createdAt} />
      </Text>
    </Link>
  );
}
