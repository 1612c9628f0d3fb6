import { Alert, Button, Group, Menu, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { members as readMembers } from '../../api/members.js';
import { queryKeys } from '../../api/query-keys.js';
import type { Member } from '../../api/types.js';
import { Card } from '../../parts/display/card.js';
import { MoreIcon } from '../../parts/display/icons.js';
import { Moment } from '../../parts/display/moment.js';
import { Tag } from '../../parts/display/tag.js';
import { Back } from '../../parts/frame/back.js';
import { useTitle } from '../../parts/frame/title.js';
import { Answer } from '../../parts/loading/answer.js';
import { BlocksLoading } from '../../parts/loading/loading.js';
import { Allowed } from '../../parts/session/allowed.js';
import { useMay, useMembership, useUser } from '../../session/session.js';
import { refusalOf, roleName } from '../../session/permissions.js';
import { Demand } from './demand.js';
import { Invitations } from './invitations.js';
import { MemberDialogs, type Open } from './member-dialogs.js';

/** Members of the business with their roles, and those invited. */
export function Members() {
  useTitle('Members');
  const { business } = useMembership();
  const [open, setOpen] = useState<Open | null>(null);
  const query = useQuery({ queryKey: queryKeys.members, queryFn: readMembers });
  return (
    <Stack gap="lg">
      <Stack gap={4}>
        <Back to="/settings">Settings</Back>
        <Group justify="space-between">
          <Title order={1}>Members</Title>
          <Allowed act="members.manage">
            <Button disabled={business === null} onClick={() => setOpen({ name: 'invite' })}>
              Invite
            </Button>
          </Allowed>
        </Group>
      </Stack>
      {business === null && (
        <Alert color="ink" variant="light" p="sm">
          <Text size="sm">
            Members share the wallets of a business. <Link to="/settings">Register your business</Link> first,
            then invite others to it.
          </Text>
        </Alert>
      )}
      <Answer of={query} what="The members" loading={<BlocksLoading heights={[160]} />}>
        {(all) => (
          <Card title={business?.name ?? 'Only you'} flush>
            <ul className="rows">
              {all.map((member) => (
                <li key={member.userId}>
                  <MemberRow member={member} isLastOwner={isLastOwner(member, all)} onOpen={setOpen} />
                </li>
              ))}
            </ul>
          </Card>
        )}
      </Answer>
      {business && <Demand />}
      {business && <Invitations />}
      <MemberDialogs open={open} onClose={() => setOpen(null)} />
    </Stack>
  );
}

const isLastOwner = ({ role, userId }: Member, all: readonly Member[]) =>
  role === 'owner' && !all.some((other) => other.role === 'owner' && other.userId !== userId);

function MemberRow({
  member,
  isLastOwner,
  onOpen,
}: {
  member: Member;
  isLastOwner: boolean;
  onOpen: (open: Open) => void;
}) {
  const isMe = member.userId === useUser().id;
  const mayManage = useMay('members.manage');
  const { business } = useMembership();
  const problem = isLastOwner
    ? 'A business needs an owner'
    : mayManage || isMe
      ? null
      : refusalOf('members.manage');
  return (
    <div className="row row-plain row-ends">
      <div>
        <Group gap="xs">
          <Text size="sm" fw={500} className="wrap">
            {member.email}
          </Text>
          {isMe && <Tag tone="info">You</Tag>}
        </Group>
        <Text size="xs" c="dimmed">
          {roleName(member.role)} ·{' '}
          {member.joinedAt ? (
            <>
              Joined <Moment at={member.joinedAt} />
            </>
          ) : (
            'Opened the account'
          )}
        </Text>
      </div>
      {business && (
        <Menu position="bottom-end" width={220}>
          <Menu.Target>
            <Button size="xs" variant="subtle" color="gray" px={8} aria-label={`Actions for ${member.email}`}>
              <MoreIcon />
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {problem && <Menu.Label>{problem}</Menu.Label>}
            <Menu.Item disabled={isLastOwner || !mayManage} onClick={() => onOpen({ name: 'role', member })}>
              Change role
            </Menu.Item>
            {isMe ? (
              <Menu.Item color="red" disabled={isLastOwner} onClick={() => onOpen({ name: 'leave', member })}>
                Leave the business
              </Menu.Item>
            ) : (
              <Menu.Item
                color="red"
                disabled={isLastOwner || !mayManage}
                onClick={() => onOpen({ name: 'remove', member })}
              >
                Remove
              </Menu.Item>
            )}
          </Menu.Dropdown>
        </Menu>
      )}
    </div>
  );
}
