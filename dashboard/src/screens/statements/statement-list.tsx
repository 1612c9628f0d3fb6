import '../../styles/details.css';
import './statements.css';
import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { queryKeys } from '../../api/query-keys.js';
import { type Statement, statementFile, statements } from '../../api/statements.js';
import { once } from '../../live/poll-intervals.js';
import { Card } from '../../parts/display/card.js';
import { Code } from '../../parts/display/copy.js';
import { DownloadIcon } from '../../parts/display/icons.js';
import { saveFile } from '../../parts/display/save-file.js';
import { Tag } from '../../parts/display/tag.js';
import { Empty } from '../../parts/lists/empty.js';
import { Pager } from '../../parts/lists/pager.js';
import { Answer } from '../../parts/loading/answer.js';
import { BlocksLoading } from '../../parts/loading/loading.js';
import { grouped } from '../../money/money.js';
import { Money } from '../../parts/money/money.js';
import { useAddress } from '../../parts/state/use-address.js';
import { pluralize } from '../../text/pluralize.js';
import { monthInWords } from './months.js';
import { useMaking } from './use-making.js';

const ASK_EVERY_MS = 1_000;
const PUBLIC_KEYS = '/.well-known/jwks.json';
const CHECK = 'node scripts/verify-statement.mjs statement.pdf statement.jws jwks.json';

const isUnderWay = ({ status }: Statement) => status === 'waiting' || status === 'making';

export function StatementList() {
  const address = useAddress();
  const page = address.page();
  const query = useQuery({
    queryKey: queryKeys.statements(page),
    queryFn: () => statements(page),
    refetchInterval: (asked) => once(asked) || (!!asked.state.data?.data.some(isUnderWay) && ASK_EVERY_MS),
    placeholderData: keepPreviousData,
  });
  return (
    <Card title="Statements" flush>
      <Answer of={query} what="The statements" loading={<BlocksLoading heights={[330]} />}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <Empty title="No statements yet">
              Choose a month above: its statement is ready within moments and stays here.
            </Empty>
          ) : (
            <>
              <ul className="rows">
                {data.map((each) => (
                  <li key={each.id}>
                    <Row statement={each} />
                  </li>
                ))}
              </ul>
              <Pager of={pagination} one="statement" />
              {data.some(({ signature }) => signature !== null) && <HowToCheck />}
            </>
          )
        }
      </Answer>
    </Card>
  );
}

const TAGS = {
  waiting: { tone: 'info', name: 'Queued' },
  making: { tone: 'info', name: 'In progress' },
  failed: { tone: 'bad', name: 'Failed' },
} as const;

function Row({ statement }: { statement: Statement }) {
  const { month, walletName, status, isFinal } = statement;
  const tag =
    status !== 'done'
      ? TAGS[status]
      : isFinal
        ? ({ tone: 'good', name: 'Final, signed' } as const)
        : ({ tone: 'wait', name: 'So far' } as const);
  const title = `${monthInWords(month)} · ${walletName ?? 'All wallets'}`;
  return (
    <div className="row row-plain statement">
      <div>
        <Group gap="xs">
          <Text size="sm" fw={500} className="wrap">
            {title}
          </Text>
          <Tag tone={tag.tone}>{tag.name}</Tag>
        </Group>
        <Standing statement={statement} />
      </div>
      <Files statement={statement} title={title} />
    </div>
  );
}

function Standing({ statement }: { statement: Statement }) {
  const { status, rows, rowsDone, figures, problem, timeZone } = statement;
  if (isUnderWay(statement)) {
    const total = rows ?? 0;
    const percent = total === 0 ? 0 : Math.round((rowsDone / total) * 100);
    const label =
      rows === null
        ? 'Counting the entries'
        : `${grouped(rowsDone)} of ${pluralize(total, 'entry', 'entries')}`;
    return (
      <div role="status">
        <Text size="xs" c="dimmed">
          {label}
        </Text>
        <div
          className="bar"
          role="progressbar"
          aria-label={label}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={percent}
        >
          <div style={{ width: `${percent}%` }} />
        </div>
      </div>
    );
  }
  if (status === 'failed' || !figures) {
    return (
      <Text size="xs" className="wrap">
        {problem}
      </Text>
    );
  }
  const amounts = [
    ['Opening', figures.opening],
    ['In', figures.received],
    ['Out', figures.paidOut],
    ['Refunds', figures.refunded],
    ['Closing', figures.closing],
  ] as const;
  return (
    <>
      <Text size="xs" c="dimmed">
        {pluralize(rows ?? 0, 'entry', 'entries')} · {timeZone}
      </Text>
      <dl className="statement-figures" aria-label="Figures">
        {amounts.map(([name, kobo]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Money kobo={kobo} bold={name === 'Closing'} />
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function Files({ statement, title }: { statement: Statement; title: string }) {
  const making = useMaking();
  const { status, month, walletId, signature } = statement;
  if (status === 'failed') {
    return (
      <Button
        size="xs"
        variant="default"
        aria-label={`Try again: ${title}`}
        loading={making.isPending}
        onClick={() => making.mutate({ month, walletId })}
      >
        Try again
      </Button>
    );
  }
  if (status !== 'done') return null;
  return (
    <Group gap="xs">
      {(['pdf', 'csv'] as const).map((format) => (
        <Button
          key={format}
          component="a"
          href={statementFile(statement, format)}
          download
          size="xs"
          variant="default"
          leftSection={<DownloadIcon size={14} />}
          aria-label={`${format.toUpperCase()} of ${title}`}
        >
          {format.toUpperCase()}
        </Button>
      ))}
      {signature !== null && (
        <Button
          size="xs"
          variant="subtle"
          aria-label={`Signature of ${title}`}
          onClick={() => saveFile(`statement-${month}.jws`, signature, 'application/jose')}
        >
          Signature
        </Button>
      )}
    </Group>
  );
}

function HowToCheck() {
  return (
    <details className="fold statement-check no-print">
      <summary>
        <Text size="sm">Check a signed statement</Text>
      </summary>
      <Stack gap="xs" mt="xs">
        <Text size="sm" c="dimmed">
          Anyone can check that a file is unchanged, without asking us: download its signature and{' '}
          <Anchor href={PUBLIC_KEYS} download="jwks.json" inherit underline="always">
            our public keys
          </Anchor>
          , then run this script of the service.
        </Text>
        <Code value={CHECK} name="command" />
      </Stack>
    </details>
  );
}
