import '../../styles/fields.css';
import { Select, Stack, Switch, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../../api/query-keys.js';
import { setStatementMail, setTimeZone, statementMail } from '../../api/statements.js';
import { once } from '../../live/poll-intervals.js';
import { Card } from '../../parts/display/card.js';
import { Answer } from '../../parts/loading/answer.js';
import { BlocksLoading } from '../../parts/loading/loading.js';
import { refused, toast } from '../../parts/toasts/toasts.js';
import { refusalOf } from '../../session/permissions.js';
import { useMay } from '../../session/session.js';

export function MailChoice() {
  const client = useQueryClient();
  const query = useQuery({
    queryKey: queryKeys.statementMail,
    queryFn: statementMail,
    refetchInterval: once,
  });
  const choosing = useMutation({
    mutationFn: setStatementMail,
    onSuccess: (answer) => client.setQueryData(queryKeys.statementMail, answer),
    onError: refused,
  });
  return (
    <Card title="By email">
      <Answer of={query} what="Your choice" loading={<BlocksLoading heights={[60]} />}>
        {({ mail, mailAvailable }) => (
          <Switch
            label="Mail me statements on the first"
            description={
              mailAvailable
                ? 'The statement of all wallets for the month before, as PDF, to your own address.'
                : 'This service sends no email.'
            }
            checked={choosing.isPending ? choosing.variables : mail}
            disabled={!mailAvailable || choosing.isPending}
            onChange={({ currentTarget: { checked } }) => choosing.mutate(checked)}
          />
        )}
      </Answer>
    </Card>
  );
}

const ZONES_SHOWN_MAX = 60;

/** Asked for once: it takes the browser some milliseconds. */
let known: string[] | undefined;

function zonesWith(zone: string): string[] {
  known ??= ['UTC', ...Intl.supportedValuesOf('timeZone').filter((each) => each !== 'UTC')];
  return known.includes(zone) ? known : [zone, ...known];
}

export function ZoneChoice({ zone }: { zone: string }) {
  const client = useQueryClient();
  const isAllowed = useMay('business.change');
  const choosing = useMutation({
    mutationFn: setTimeZone,
    onSuccess: (chosen) => {
      client.setQueryData(queryKeys.timeZone, chosen);
      void toast({
        message: `Months now begin at midnight in ${chosen}`,
        undo: () => choosing.mutate(zone),
      });
    },
    onError: refused,
  });
  return (
    <Card title="Time zone">
      <Stack gap="xs">
        <Text size="sm" c="dimmed">
          The months of statements and the days in files begin at midnight in it, for all members. Statements
          made before keep theirs.
        </Text>
        <Select
          label="Time zone"
          description={isAllowed ? undefined : refusalOf('business.change')}
          disabled={!isAllowed}
          searchable
          allowDeselect={false}
          limit={ZONES_SHOWN_MAX}
          maw={320}
          nothingFoundMessage="No such zone: try a city such as Lagos"
          data={zonesWith(zone)}
          value={choosing.isPending ? choosing.variables : zone}
          onChange={(chosen) => chosen !== null && chosen !== zone && choosing.mutate(chosen)}
        />
      </Stack>
    </Card>
  );
}
