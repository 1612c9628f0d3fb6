import '../../styles/fields.css';
import { Switch, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { notificationSettings, setNotification } from '../../api/notifications.js';
import { queryKeys } from '../../api/query-keys.js';
import { Card } from '../../parts/display/card.js';
import { Answer } from '../../parts/loading/answer.js';
import { BlocksLoading } from '../../parts/loading/loading.js';
import { toast } from '../../parts/toasts/toasts.js';
import { messageOf } from '../../text/words.js';
import { PushBrowsers } from './push-browsers.js';

const WAYS = { mail: 'Email', push: 'Push' } as const;
type Way = keyof typeof WAYS;

/** Which notifications are mailed and pushed; all are listed. */
export function NotificationSettings() {
  const client = useQueryClient();
  const query = useQuery({ queryKey: queryKeys.notificationSettings, queryFn: notificationSettings });
  const choosing = useMutation({
    mutationFn: setNotification,
    onSuccess: (answer) => client.setQueryData(queryKeys.notificationSettings, answer),
    onError: (error: unknown) => void toast({ tone: 'bad', message: messageOf(error) }),
  });
  return (
    <>
      <Card title="What you are notified of">
        <Answer of={query} what="Your choices" loading={<BlocksLoading heights={[330]} />}>
          {({ data, mailAvailable }) => (
            <>
              <Text size="sm" c="dimmed">
                {mailAvailable
                  ? 'Everything is listed under the bell, whatever you choose.'
                  : 'This service sends no email. Everything is listed under the bell.'}
              </Text>
              <table className="choices">
                <thead>
                  <tr>
                    <th>Kind</th>
                    {Object.values(WAYS).map((name) => (
                      <th key={name}>{name}</th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {data.map((stored) => {
                    const chosen =
                      choosing.isPending && choosing.variables.kind === stored.kind
                        ? choosing.variables
                        : stored;
                    const set = (way: Way, is: boolean) =>
                      choosing.mutate({ kind: stored.kind, mail: stored.mail, push: stored.push, [way]: is });
                    return (
                      <tr key={stored.kind}>
                        <td>{stored.title}</td>
                        {(Object.keys(WAYS) as Way[]).map((way) => (
                          <td key={way}>
                            <Switch
                              aria-label={`${stored.title}: ${WAYS[way]}`}
                              checked={chosen[way]}
                              disabled={(way === 'mail' && !mailAvailable) || choosing.isPending}
                              onChange={({ currentTarget: { checked } }) => set(way, checked)}
                            />
                          </td>
                        ))}
                      </tr>
                    );
                  })}
                </tbody>
              </table>
            </>
          )}
        </Answer>
      </Card>
      <PushBrowsers />
    </>
  );
}
