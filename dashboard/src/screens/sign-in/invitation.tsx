import { Alert, Button, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { acceptInvitation } from '../../api/account.js';
import { Refused } from '../../parts/loading/failure.js';
import { useTitle } from '../../parts/frame/title.js';
import { Frame } from './frame.js';

/** Joins a business by the link of an email; its token stands behind the #, which no server sees. */
export function Invitation() {
  useTitle('Join a business');
  const [token] = useState(() => new URLSearchParams(window.location.hash.slice(1)).get('token') ?? '');
  const joining = useMutation({
    mutationFn: () => acceptInvitation(token),
    // The whole page begins again, with the wallets of the business.
    onSuccess: () => window.location.assign('/'),
  });
  return (
    <Frame
      title="Join a business"
      other={
        <>
          <Link to="/sign-in">Sign in</Link>
          <br />
          <Link to="/sign-up">Create an account</Link>
        </>
      }
    >
      {token === '' ? (
        <Alert variant="light" color="red" p="sm" role="alert">
          <Text size="sm">This link isn’t complete. Open it from the email, or ask for another.</Text>
        </Alert>
      ) : (
        <Stack>
          <Text size="sm">
            Sign in, or create an account, with the email address that was invited. Then open this link again
            to join.
          </Text>
          <Refused error={joining.error} />
          <Button loading={joining.isPending} onClick={() => joining.mutate()}>
            Join
          </Button>
        </Stack>
      )}
    </Frame>
  );
}
