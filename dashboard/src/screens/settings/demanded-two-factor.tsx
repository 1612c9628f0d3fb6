import { Box, Button, Group, Stack, Text, Title } from '@mantine/core';
import { ColorScheme } from '../../parts/frame/color-scheme.js';
import { Logo } from '../../parts/frame/logo.js';
import { useTitle } from '../../parts/frame/title.js';
import { SecondFactorPrompt } from '../../parts/session/second-factor-prompt.js';
import { useSignOut } from '../../parts/session/use-sign-out.js';
import { ToastPlace } from '../../parts/toasts/toast-place.js';
import { useLeaveWarning } from '../../session/secrets.js';
import { useMembership, useUser } from '../../session/session.js';
import { TwoFactor } from './two-factor.js';

/** The one screen of a member without two-factor while the business demands it; the others follow by themselves. */
export function DemandedTwoFactor() {
  useTitle('Set up two-factor');
  useLeaveWarning();
  const { email } = useUser();
  const { business } = useMembership();
  const signingOut = useSignOut();
  return (
    <Box component="main" maw={640} mx="auto" px="md" py="lg">
      <Stack gap="lg">
        <Group justify="space-between">
          <Logo />
          <Group gap="xs">
            <ColorScheme />
            <Button
              size="xs"
              variant="default"
              loading={signingOut.isPending}
              onClick={() => signingOut.mutate()}
            >
              Sign out
            </Button>
          </Group>
        </Group>
        <Stack gap={4}>
          <Title order={1}>Set up two-factor</Title>
          <Text size="sm" className="wrap">
            <b>{business?.name ?? 'Your business'}</b> requires a second factor of everyone who works with its
            wallets. Add a passkey or an authenticator app for {email}, and you go on where you were going.
            Until then nothing else opens.
          </Text>
        </Stack>
        <TwoFactor />
      </Stack>
      <ToastPlace />
      <SecondFactorPrompt />
    </Box>
  );
}
