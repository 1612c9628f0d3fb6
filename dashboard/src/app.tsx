import { Container, Stack, Text, Title } from '@mantine/core';
import { lazy, type ReactNode, Suspense } from 'react';
import { Link, Navigate, Outlet, Route, Routes, useLocation } from 'react-router';
import { Failure } from './parts/failure.js';
import { Shell } from './parts/shell.js';
import { BlocksLoading } from './parts/loading.js';
import { useTitle } from './parts/title.js';
import { Home } from './screens/home.js';
import { SignIn } from './screens/sign-in/sign-in.js';
import { SignUp } from './screens/sign-in/sign-up.js';
import { useSession } from './session.js';

const NewWallet = lazy(() =>
  import('./screens/new-wallet.js').then((screen) => ({ default: screen.NewWallet })),
);
const Wallet = lazy(() =>
  import('./screens/wallet/wallet.js').then((screen) => ({ default: screen.Wallet })),
);
const Webhooks = lazy(() =>
  import('./screens/webhooks/webhooks.js').then((screen) => ({ default: screen.Webhooks })),
);
const Endpoint = lazy(() =>
  import('./screens/webhooks/endpoint.js').then((screen) => ({ default: screen.Endpoint })),
);
const Business = lazy(() => import('./screens/business.js').then((screen) => ({ default: screen.Business })));

export function App() {
  return (
    <Routes>
      <Route element={<GuestOnly />}>
        <Route path="/sign-in" element={<SignIn />} />
        <Route path="/sign-up" element={<SignUp />} />
      </Route>
      <Route element={<RequireAuth />}>
        <Route index element={<Home />} />
        <Route path="/wallets/new" element={<NewWallet />} />
        <Route path="/wallets/:walletId" element={<Wallet />} />
        <Route path="/webhooks" element={<Webhooks />} />
        <Route path="/webhooks/:endpointId" element={<Endpoint />} />
        <Route path="/business" element={<Business />} />
        <Route path="*" element={<NotFound />} />
      </Route>
    </Routes>
  );
}

/** Screens of a signed-in user; anybody else signs in first and comes back. */
function RequireAuth() {
  const { pathname, search } = useLocation();
  return (
    <WithSession>
      {(signedIn) =>
        signedIn ? (
          <Shell>
            <Suspense fallback={<BlocksLoading heights={[36, 100, 260]} />}>
              <Outlet />
            </Suspense>
          </Shell>
        ) : (
          <Navigate to={{ pathname: '/sign-in', search: nextOf(pathname + search) }} replace />
        )
      }
    </WithSession>
  );
}

/** Screens for who is not signed in; who is goes on to where they were going. */
function GuestOnly() {
  const { search } = useLocation();
  return (
    <WithSession>
      {(signedIn) => (signedIn ? <Navigate to={nextIn(search)} replace /> : <Outlet />)}
    </WithSession>
  );
}

function WithSession({ children }: { children: (signedIn: boolean) => ReactNode }) {
  const session = useSession();
  if (session.isPending) return null;
  if (session.isError && session.data === undefined) {
    return (
      <Container size="sm" py="xl">
        <Failure error={session.error} what="Your session" onRetry={() => void session.refetch()} />
      </Container>
    );
  }
  return children(Boolean(session.data));
}

function nextOf(path: string): string {
  return path === '/' ? '' : `?${new URLSearchParams({ next: path }).toString()}`;
}

/** Where `next` leads, when that is a screen of this very app. */
function nextIn(search: string): string {
  const next = new URLSearchParams(search).get('next') ?? '/';
  return /^\/(?![/\\])/.test(next) ? next : '/';
}

function NotFound() {
  useTitle('Not found');
  return (
    <Stack gap="xs" align="flex-start">
      <Title order={1}>There is nothing here</Title>
      <Text>
        The address may be old or mistyped. <Link to="/">Go to your wallets</Link>.
      </Text>
    </Stack>
  );
}
