import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { invitations as readInvitations, resendInvitation, revokeInvitation } from '../../api/members.js';
import { queryKeys } from '../../api/query-keys.js';
import type { Invitation } from '../../api/types.js';
import { Card } from '../../parts/display/card.js';
import { Moment } from '../../parts/display/moment.js';
import { Tag } from '../../parts/display/tag.js';
import { Empty } from '../../parts/lists/empty.js';
import { Answer } from '../../parts/loading/answer.js';
import { BlocksLoading } from '../../parts/loading/loading.js';
import { Allowed } from '../../parts/session/allowed.js';
import { toast } from '../../parts/toasts/toasts.js';
import { roleName } from '../../session/permissions.js';
import { messageOf } from '../../text/words.js';

/** Invitations that nobody has accepted yet. */
export function Invitations() {
  const query = useQuery({ queryKey: queryKeys.invitations, queryFn: readInvitations });
  return (
    <Answer of={query} what="The invitations" loading={<BlocksLoading heights={[110]} />}>
      {(open) => (
        <Card title="Invitations" flush>
          {open.length === 0 ? (
            <Empty title="No open invitations">
              An invited person gets a link by email, and is listed here until they use it.
            </Empty>
          ) : (
            <ul className="rows">
              {open.map((invitation) => (
                <li key={invitation.id}>
                  <InvitationRow invitation={invitation} />
                </li>
              ))}
            </ul>
          )}
        </Card>
      )}
    </Answer>
  );
}

function InvitationRow({
  invitation: { id, email, role, isExpired, expiresAt },
}: {
  invitation: Invitation;
}) {
  const client = useQueryClient();
  const after = {
    onError: (error: unknown) => void toast({ tone: 'bad', message: messageOf(error) }),
    onSettled: () => void client.invalidateQueries({ queryKey: queryKeys.invitations }),
  };
  const resending = useMutation({
    mutationFn: () => resendInvitation(id),
    onSuccess: () => void toast({ message: `A new link was sent to ${email}` }),
    ...after,
  });
  const revoking = useMutation({
    mutationFn: () => revokeInvitation(id),
    onSuccess: () => void toast({ tone: 'info', message: `The invitation of ${email} was revoked` }),
    ...after,
  });
  const busy = resending.isPending || revoking.isPending;
  return (
    <div className="row row-plain row-ends row-stacks">
      <div>
        <Group gap="xs">
          <Text size="sm" fw={500} className="wrap">
            {email}
          </Text>
          {isExpired && <Tag tone="wait">Expired</Tag>}
        </Group>
        <Text size="xs" c="dimmed">
          {roleName(role)} · {isExpired ? 'Expired' : 'Link expires'} <Moment at={expiresAt} />
        </Text>
      </div>
      <Group gap="xs" justify="flex-end">
        <Allowed act="members.manage">
          <Button
            size="xs"
            variant="default"
            aria-label={`Resend to ${email}`}
            disabled={busy}
            loading={resending.isPending}
            onClick={() => resending.mutate()}
          >
            Resend
          </Button>
        </Allowed>
        <Allowed act="members.manage">
          <Button
            size="xs"
            variant="default"
            aria-label={`Revoke the invitation of ${email}`}
            disabled={busy}
            loading={revoking.isPending}
            onClick={() => revoking.mutate()}
          >
            Revoke
          </Button>
        </Allowed>
      </Group>
    </div>
  );
}
