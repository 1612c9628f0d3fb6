import { Button, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from 'react-router';
import { demandTwoFactor } from '../../api/members.js';
import { queryKeys } from '../../api/query-keys.js';
import { Card } from '../../parts/display/card.js';
import { Tag } from '../../parts/display/tag.js';
import { Refused } from '../../parts/loading/failure.js';
import { Allowed } from '../../parts/session/allowed.js';
import { toast } from '../../parts/toasts/toasts.js';
import { useHasTwoFactor, useMay, useMembership } from '../../session/session.js';

const ON =
  'Every member needs a passkey or an authenticator app. A member without one can only set one up, and no ' +
  'member can remove their last one. API keys keep working.';
const OFF =
  'The stolen password of one member is enough to act as that member. If you require a second factor, a member without ' +
  'one can do nothing else until they set one up, from now on. API keys keep working.';

/** Demands two-factor of all members, or leaves it to each. */
export function Demand() {
  const client = useQueryClient();
  const isDemanded = useMembership().isTwoFactorDemanded;
  const mayDemand = useHasTwoFactor();
  const mayManage = useMay('members.manage');
  const changing = useMutation({
    mutationFn: () => demandTwoFactor(!isDemanded),
    onSuccess: () =>
      void toast({
        message: isDemanded ? 'Two-factor is optional for members' : 'Every member needs two-factor now',
      }),
    onSettled: () => {
      void client.invalidateQueries({ queryKey: queryKeys.session });
      void client.invalidateQueries({ queryKey: queryKeys.activity() });
    },
  });
  return (
    <Card
      title="Two-factor for members"
      aside={<Tag tone={isDemanded ? 'good' : 'wait'}>{isDemanded ? 'Required' : 'Optional'}</Tag>}
    >
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{isDemanded ? ON : OFF}</Text>
        {mayManage && !mayDemand && (
          <Text size="sm">
            <Link to="/settings">Set up two-factor for yourself</Link> first, so that you aren’t locked out.
          </Text>
        )}
        <Refused error={changing.error} />
        <Allowed act="members.manage">
          <Button
            size="xs"
            variant="default"
            disabled={!mayDemand && !isDemanded}
            loading={changing.isPending}
            onClick={() => changing.mutate()}
          >
            {isDemanded ? 'Make two-factor optional' : 'Require two-factor'}
          </Button>
        </Allowed>
      </Stack>
    </Card>
  );
}
