import { Stack } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { CASE_STATES, cases, type OperatorCase, operatorKey, proposals } from '../../api/operator.js';
import { Card } from '../../parts/display/card.js';
import { Moment } from '../../parts/display/moment.js';
import { Choice } from '../../parts/forms/choice.js';
import { Empty } from '../../parts/lists/empty.js';
import { Pager } from '../../parts/lists/pager.js';
import { Cell, Row, Rows, What } from '../../parts/lists/rows.js';
import { Answer } from '../../parts/loading/answer.js';
import { BlocksLoading } from '../../parts/loading/loading.js';
import { useAddress } from '../../parts/state/use-address.js';
import { useUser } from '../../session/session.js';
import { ASK_EVERY_MS } from './list.js';
import { Waiting } from './waiting.js';
import { age, caseKind, known } from './words.js';

/** What needs a person, and what waits for a second one. */
export function Cases() {
  const address = useAddress();
  const state = address.oneOf('state', CASE_STATES);
  const page = address.page();
  const query = useQuery({
    queryKey: operatorKey('cases', state, page),
    queryFn: () => cases(state, page),
    refetchInterval: ASK_EVERY_MS,
    placeholderData: keepPreviousData,
  });
  const waiting = useQuery({
    queryKey: operatorKey('proposals'),
    queryFn: () => proposals(1),
    refetchInterval: ASK_EVERY_MS,
  });
  return (
    <Stack gap="lg">
      {waiting.data && <Waiting proposals={waiting.data.data} />}
      <Answer of={query} what="The cases" loading={<BlocksLoading heights={[330]} />}>
        {({ data, pagination }) => (
          <Card
            title="Cases"
            aside={
              <Choice
                label="Show"
                value={state}
                onChange={(value) => address.set({ state: value === 'open' ? null : value, page: null })}
                data={[
                  { value: 'open', label: 'Open' },
                  { value: 'closed', label: 'Closed' },
                ]}
              />
            }
            flush
          >
            {data.length === 0 ? (
              <Empty title={state === 'open' ? 'No open cases' : 'No closed cases'}>
                Payouts that the bank contradicts, money that matches no wallet and the like open a case by
                themselves.
              </Empty>
            ) : (
              <>
                <Rows kind={state === 'open' ? 'case' : 'case closed'} label="Cases">
                  {data.map((each) => (
                    <CaseRow key={each.id} of={each} />
                  ))}
                </Rows>
                <Pager of={pagination} one="case" />
              </>
            )}
          </Card>
        )}
      </Answer>
    </Stack>
  );
}

function CaseRow({ of }: { of: OperatorCase }) {
  const { id, subject, ownerId, owner, openedAt, closedAt } = of;
  const isMine = useUser().id === ownerId;
  return (
    <Row to={`/operator/cases/${id}`}>
      <What name={caseKind(of).name} more={`${known(of)} · ${subject}`} />
      <Cell className="small owner">{isMine ? 'You' : (owner ?? 'Unassigned')}</Cell>
      <Cell className="small end age">{closedAt ? <Moment at={closedAt} /> : age(openedAt)}</Cell>
    </Row>
  );
}
