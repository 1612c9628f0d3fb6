import '../../styles/fields.css';
import { Stack, Switch, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { notificationSettings, setNotification } from '../../api/notifications.js';
import { queryKeys } from '../../api/query-keys.js';
import { Card } from '../../parts/display/card.js';
import { Answer } from '../../parts/loading/answer.js';
import { BlocksLoading } from '../../parts/loading/loading.js';
import { toast } from '../../parts/toasts/toasts.js';
import { messageOf } from '../../text/words.js';

/** Which notifications are mailed; all are listed. */
export function NotificationSettings() {
  const client = useQueryClient();
  const query = useQuery({ queryKey: queryKeys.notificationSettings, queryFn: notificationSettings });
  const choosing = useMutation({
    mutationFn: setNotification,
    onSuccess: (answer) => client.setQueryData(queryKeys.notificationSettings, answer),
    onError: (error: unknown) => void toast({ tone: 'bad', message: messageOf(error) }),
  });
  return (
    <Card title="Notifications by e-mail">
      <Answer of={query} what="Your choices" loading={<BlocksLoading heights={[330]} />}>
        {({ data, mailAvailable }) => (
          <Stack gap="sm">
            <Text size="sm" c="dimmed">
              {mailAvailable
                ? 'Everything is listed under the bell, whatever you choose.'
                : 'This service sends no e-mail. Everything is listed under the bell.'}
            </Text>
            {data.map(({ kind, title, mail }) => (
              <Switch
                key={kind}
                label={title}
                checked={
                  choosing.isPending && choosing.variables.kind === kind ? choosing.variables.mail : mail
                }
                disabled={!mailAvailable || choosing.isPending}
                onChange={({ currentTarget: { checked } }) => choosing.mutate({ kind, mail: checked })}
              />
            ))}
          </Stack>
        )}
      </Answer>
    </Card>
  );
}
