import { Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { changes as readChanges } from '../../api/calls.js';
import { keys as readKeys } from '../../api/keys.js';
import { queryKeys } from '../../api/query-keys.js';
import type { WalletChange } from '../../api/types.js';
import { useBankNames } from '../../text/banks.js';
import { actionInWords, differences, keyChange, payeeChange } from '../../wallet/changes-in-words.js';
import { nameOfKey } from '../../wallet/key-words.js';
import { Answer } from '../../parts/loading/answer.js';
import { Card } from '../../parts/display/card.js';
import { Empty } from '../../parts/lists/empty.js';
import { Moment } from '../../parts/display/moment.js';
import { Pager } from '../../parts/lists/pager.js';
import { Cell, Row, Rows, RowsLoading } from '../../parts/lists/rows.js';
import { useAddress } from '../../parts/state/use-address.js';
import { overview } from '../../live/poll-intervals.js';
import { usePerson } from '../../session/use-person.js';

export function Changes({ walletId }: { walletId: string }) {
  const address = useAddress();
  const page = address.page();
  const query = useQuery({
    queryKey: queryKeys.changes(walletId, page),
    queryFn: () => readChanges(walletId, page),
    refetchInterval: overview,
    placeholderData: keepPreviousData,
  });
  const keys = useQuery({ queryKey: queryKeys.keys(walletId), queryFn: () => readKeys(walletId) });
  const bankName = useBankNames();
  const keyNames = new Map(keys.data?.map((key) => [key.id, nameOfKey(key)]));
  return (
    <Card title="Changes" flush>
      <Answer of={query} what="The changes" loading={<RowsLoading kind="change" rows={5} />}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <Empty title="Nothing has been changed">
              Each change of the rules, and each freeze, shows here with what it was before.
            </Empty>
          ) : (
            <>
              <Rows kind="change" label="Changes">
                {data.map((change) => (
                  <ChangeRow
                    key={change.id}
                    change={change}
                    keyName={(id) => keyNames.get(id) ?? 'A key'}
                    bankName={bankName}
                  />
                ))}
              </Rows>
              <Pager of={pagination} one="change" />
            </>
          )
        }
      </Answer>
    </Card>
  );
}

const BY_OPERATOR = ' by an operator';
const WITHOUT_MORE = new Set(['suspended', 'resumed', 'closed', `suspended${BY_OPERATOR}`]);

interface Names {
  keyName: (id: string) => string;
  bankName: (code: string) => string;
}

function linesOf(change: WalletChange, { keyName, bankName }: Names): string[] {
  if (change.omitted) return ['Too long to show in a list'];
  if (WITHOUT_MORE.has(change.action)) return [];
  if (change.action.startsWith('payee.')) return [payeeChange(change, bankName)];
  return change.action.startsWith('key.')
    ? [keyChange(change, keyName)]
    : differences(change.before, change.after);
}

function ChangeRow({ change, ...names }: { change: WalletChange } & Names) {
  const nameOf = usePerson();
  const lines = linesOf(change, names);
  return (
    <Row>
      <Cell>
        <Text size="sm" fw={500}>
          {actionInWords(change.action)}
          {!change.action.endsWith(BY_OPERATOR) && ` by ${nameOf(change.userId)}`}
        </Text>
        {lines.map((line) => (
          <Text key={line} size="xs" c="dimmed" className="wrap">
            {line}
          </Text>
        ))}
      </Cell>
      <Cell className="when small">
        <Moment at={change.createdAt} />
      </Cell>
    </Row>
  );
}
