import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { type CasePage, OPERATOR, operatorKey, readCase, takeCase } from '../../api/operator.js';
import { Card } from '../../parts/display/card.js';
import { Moment } from '../../parts/display/moment.js';
import { Tag } from '../../parts/display/tag.js';
import { Back } from '../../parts/frame/back.js';
import { Answer } from '../../parts/loading/answer.js';
import { Refused } from '../../parts/loading/failure.js';
import { BlocksLoading } from '../../parts/loading/loading.js';
import { useUser } from '../../session/session.js';
import { ActButton } from './act-button.js';
import { ASK_EVERY_MS } from './list.js';
import { PayoutItem, TransferItem } from './money-items.js';
import { UserItem, WalletItem } from './people-items.js';
import { ActLine } from './record.js';
import { Waiting } from './waiting.js';
import { age, caseKind, known } from './words.js';

/** A case with everything that belongs to it, and the acts in place. */
export function Case() {
  const { caseId = '' } = useParams();
  const query = useQuery({
    queryKey: operatorKey('case', caseId),
    queryFn: () => readCase(caseId),
    refetchInterval: ASK_EVERY_MS,
  });
  return (
    <Stack gap="lg">
      <Back to="/operator">Cases</Back>
      <Answer of={query} what="This case" loading={<BlocksLoading heights={[120, 260]} />}>
        {(page) => <Page page={page} />}
      </Answer>
    </Stack>
  );
}

function Page({ page }: { page: CasePage }) {
  const { transfers, payout, wallet, users, proposals, acts } = page;
  const isNothing = transfers.length === 0 && !payout && !wallet;
  return (
    <>
      <Head of={page.case} />
      <Waiting proposals={proposals} />
      <div className="operator-columns">
        <Stack gap="lg">
          {transfers.length > 0 && (
            <Card title="Inbound transfer" flush>
              {transfers.map((transfer) => (
                <TransferItem key={transfer.id} transfer={transfer} />
              ))}
            </Card>
          )}
          {payout && (
            <Card title="Payout" flush>
              <PayoutItem payout={payout} />
            </Card>
          )}
          {wallet && (
            <Card title="Wallet" flush>
              <WalletItem wallet={wallet} />
            </Card>
          )}
          {users.length > 0 && (
            <Card title="Users" flush>
              <ul className="rows">
                {users.map((user) => (
                  <li key={user.id}>
                    <UserItem user={user} />
                  </li>
                ))}
              </ul>
            </Card>
          )}
          {isNothing && (
            <Card title="About">
              <Text size="sm" className="wrap">
                {page.case.subject}
              </Text>
            </Card>
          )}
        </Stack>
        <Card title="Notes and actions" flush>
          {acts.length === 0 ? (
            <Text size="sm" c="dimmed" p="md">
              Nothing has been done yet.
            </Text>
          ) : (
            <ul className="rows">
              {acts.map((act) => (
                <li key={act.id}>
                  <ActLine act={act} />
                </li>
              ))}
            </ul>
          )}
        </Card>
      </div>
    </>
  );
}

function Head({ of }: { of: CasePage['case'] }) {
  const { id, ownerId, owner, openedAt, closedAt } = of;
  const client = useQueryClient();
  const isMine = useUser().id === ownerId;
  const { name, toDo } = caseKind(of);
  const take = useMutation({
    mutationFn: () => takeCase(id),
    onSettled: () => client.invalidateQueries({ queryKey: [OPERATOR] }),
  });
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <Title order={2} fz="h1">
          {name}
        </Title>
        {closedAt ? <Tag tone="calm">Closed</Tag> : <Tag tone="wait">Open for {age(openedAt)}</Tag>}
      </Group>
      <Text size="sm" className="wrap">
        {known(of)}
      </Text>
      <Text size="sm" c="dimmed">
        Opened <Moment at={openedAt} />
        {closedAt && (
          <>
            , closed <Moment at={closedAt} />
          </>
        )}
        . {ownerId ? `Assigned to ${isMine ? 'you' : (owner ?? 'an operator')}.` : 'Not assigned yet.'}
      </Text>
      {!closedAt && (
        <Text size="sm" fw={500}>
          {toDo}
        </Text>
      )}
      <Group gap="xs">
        {!closedAt && !isMine && (
          <Button size="xs" loading={take.isPending} onClick={() => take.mutate()}>
            Assign to me
          </Button>
        )}
        <ActButton act="case.note" subject={id} />
        {!closedAt && <ActButton act="case.close" subject={id} />}
      </Group>
      <Refused error={take.error} />
    </Stack>
  );
}
