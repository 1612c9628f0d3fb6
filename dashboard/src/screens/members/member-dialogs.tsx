import '../../styles/fields.css';
import { Button, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { changeRole, invite, leaveBusiness, removeMember } from '../../api/members.js';
import { queryKeys } from '../../api/query-keys.js';
import type { Member, Role } from '../../api/types.js';
import { Modal } from '../../parts/display/windows.js';
import { Actions } from '../../parts/forms/actions.js';
import { useSending } from '../../parts/forms/sending.js';
import { Refused } from '../../parts/loading/failure.js';
import { toast } from '../../parts/toasts/toasts.js';
import { clearSession, useMembership, useUser } from '../../session/session.js';
import { roleInWords, roleName, ROLES } from '../../session/permissions.js';
import { emailProblem } from '../../text/validation.js';

export type Open =
  { readonly name: 'invite' } | { readonly name: 'role' | 'remove' | 'leave'; readonly member: Member };

const TITLES: Readonly<Record<Open['name'], string>> = {
  invite: 'Invite a member',
  role: 'Change role',
  remove: 'Remove this member?',
  leave: 'Leave the business?',
};

export function MemberDialogs({ open, onClose }: { open: Open | null; onClose: () => void }) {
  return (
    <Modal opened={open !== null} onClose={onClose} title={open && TITLES[open.name]}>
      {open?.name === 'invite' && <Invite onDone={onClose} />}
      {open?.name === 'role' && <ChangeRole member={open.member} onDone={onClose} />}
      {open?.name === 'remove' && <Remove member={open.member} onDone={onClose} />}
      {open?.name === 'leave' && <Leave onDone={onClose} />}
    </Modal>
  );
}

function useRefresh() {
  const client = useQueryClient();
  return () => {
    const { members, invitations, session } = queryKeys;
    for (const queryKey of [members, invitations, session, queryKeys.activity()]) {
      void client.invalidateQueries({ queryKey });
    }
  };
}

function RoleChoice(props: { value?: Role; onChange?: (role: string) => void }) {
  return (
    <Radio.Group label="Role" {...props}>
      <Stack gap="xs" mt={6}>
        {ROLES.map((role) => (
          <Radio key={role} value={role} label={roleName(role)} description={roleInWords(role)} />
        ))}
      </Stack>
    </Radio.Group>
  );
}

function Invite({ onDone }: { onDone: () => void }) {
  const refresh = useRefresh();
  const form = useForm<{ email: string; role: Role }>({
    initialValues: { email: '', role: 'viewer' },
    validate: { email: emailProblem },
  });
  const inviting = useSending(form, invite, {
    fieldOf: { ALREADY_MEMBER: 'email' },
    onSuccess: () => {
      void toast({ message: `Invitation sent to ${form.getValues().email.trim()}` });
      onDone();
    },
    onSettled: refresh,
  });
  return (
    <form noValidate onSubmit={inviting.submit}>
      <Stack>
        <TextInput
          label="Email"
          type="email"
          required
          data-autofocus
          autoComplete="off"
          description="They get a link that expires after 7 days"
          {...form.getInputProps('email')}
        />
        <RoleChoice {...form.getInputProps('role')} />
        <Refused error={inviting.refusal} />
        <Actions onCancel={onDone}>
          <Button type="submit" loading={inviting.isPending}>
            Send invitation
          </Button>
        </Actions>
      </Stack>
    </form>
  );
}

function ChangeRole({ member, onDone }: { member: Member; onDone: () => void }) {
  const refresh = useRefresh();
  const form = useForm<{ role: Role }>({ initialValues: { role: member.role } });
  const saving = useSending(form, ({ role }) => changeRole(member.userId, role), {
    onSuccess: ({ data }) => {
      const { role, email } = data.member;
      void toast({ message: `${email} is now ${roleName(role).toLowerCase()}` });
      onDone();
    },
    onSettled: refresh,
  });
  return (
    <form noValidate onSubmit={saving.submit}>
      <Stack>
        <Text size="sm" className="wrap">
          The role of <b>{member.email}</b> from the next request on.
        </Text>
        <RoleChoice {...form.getInputProps('role')} />
        <Refused error={saving.refusal} />
        <Actions onCancel={onDone}>
          <Button type="submit" loading={saving.isPending}>
            Change role
          </Button>
        </Actions>
      </Stack>
    </form>
  );
}

function Remove({ member, onDone }: { member: Member; onDone: () => void }) {
  const refresh = useRefresh();
  const removing = useMutation({
    mutationFn: () => removeMember(member.userId),
    onSuccess: () => {
      void toast({ tone: 'info', message: `${member.email} is removed` });
      onDone();
    },
    onSettled: refresh,
  });
  return (
    <Stack>
      <Text size="sm" className="wrap">
        <b>{member.email}</b> is signed out everywhere at once. What they made stays with the business. API
        keys that they have seen go on paying: rotate those.
      </Text>
      <Refused error={removing.error} />
      <Actions onCancel={onDone}>
        <Button color="red" data-autofocus loading={removing.isPending} onClick={() => removing.mutate()}>
          Remove member
        </Button>
      </Actions>
    </Stack>
  );
}

function Leave({ onDone }: { onDone: () => void }) {
  const client = useQueryClient();
  const { email } = useUser();
  const { business } = useMembership();
  const leaving = useMutation({ mutationFn: leaveBusiness, onSuccess: () => clearSession(client) });
  return (
    <Stack>
      <Text size="sm" className="wrap">
        You’re signed out everywhere, and <b>{email}</b> has an empty account afterwards. What you made stays
        with {business?.name ?? 'the business'}. Only another invitation brings you back.
      </Text>
      <Refused error={leaving.error} />
      <Actions onCancel={onDone}>
        <Button color="red" data-autofocus loading={leaving.isPending} onClick={() => leaving.mutate()}>
          Leave
        </Button>
      </Actions>
    </Stack>
  );
}
