import { Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { queryKeys } from '../../api/query-keys.js';
import { timeZone } from '../../api/statements.js';
import { Card } from '../../parts/display/card.js';
import { useTitle } from '../../parts/frame/title.js';
import { Empty } from '../../parts/lists/empty.js';
import { Answer } from '../../parts/loading/answer.js';
import { BlocksLoading } from '../../parts/loading/loading.js';
import { refusalOf } from '../../session/permissions.js';
import { useMay } from '../../session/session.js';
import { once } from '../../live/poll-intervals.js';
import { MakeStatement } from './make-statement.js';
import { StatementList } from './statement-list.js';
import { MailChoice, ZoneChoice } from './statement-settings.js';

/** Statements by month, of a wallet or of all: made, downloaded, checked and mailed. */
export function Statements() {
  useTitle('Statements');
  const isAllowed = useMay('statements.make');
  return (
    <Stack gap="lg">
      <Title order={1}>Statements</Title>
      {isAllowed ? (
        <ForAccountants />
      ) : (
        <Card title="Statements" flush>
          <Empty title="Not for your role">{refusalOf('statements.make')}</Empty>
        </Card>
      )}
    </Stack>
  );
}

function ForAccountants() {
  const zone = useQuery({ queryKey: queryKeys.timeZone, queryFn: timeZone, refetchInterval: once });
  return (
    <Answer of={zone} what="The time zone" loading={<BlocksLoading heights={[140, 330]} />}>
      {(chosen) => (
        <>
          <div className="no-print">
            <MakeStatement zone={chosen} />
          </div>
          <StatementList />
          <div className="settings no-print">
            <MailChoice />
            <ZoneChoice zone={chosen} />
          </div>
        </>
      )}
    </Answer>
  );
}
