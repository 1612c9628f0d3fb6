import { Stack, Text, Title } from '@mantine/core';
import { lazy, type ReactNode, Suspense } from 'react';
import { Link, Navigate, Outlet, Route, Routes, useLocation } from 'react-router';
import { Failure } from './parts/failure.js';
import { BlocksLoading } from './parts/loading.js';
import { Logo } from './parts/logo.js';
import { useTitle } from './parts/title.js';
import { Splash } from './parts/splash.js';
import { hasLeft, useSession } from './session.js';

const Shell = lazy(() => import('./parts/shell.js').then((part) => ({ default: part.Shell })));
const SignIn = lazy(() =>
  import('./screens/sign-in/sign-in.js').then((screen) => ({ default: screen.SignIn })),
);
const SignUp = lazy(() =>
  import('./screens/sign-in/sign-up.js').then((screen) => ({ default: screen.SignUp })),
);
const ForgotPassword = lazy(() =>
  import('./screens/sign-in/forgot-password.js').then((screen) => ({ default: screen.ForgotPassword })),
);
const ResetPassword = lazy(() =>
  import('./screens/sign-in/reset-password.js').then((screen) => ({ default: screen.ResetPassword })),
);
const loadHome = () => import('./screens/home/home.js').then((screen) => ({ default: screen.Home }));
const Home = lazy(loadHome);
const NewWallet = lazy(() =>
  import('./screens/new-wallet/new-wallet.js').then((screen) => ({ default: screen.NewWallet })),
);
const WalletCreated = lazy(() =>
  import('./screens/new-wallet/wallet-created.js').then((screen) => ({ default: screen.WalletCreated })),
);
const loadWallet = () => import('./screens/wallet/wallet.js').then((screen) => ({ default: screen.Wallet }));
const Wallet = lazy(loadWallet);
const loadPayments = () =>
  import('./screens/payments/payments.js').then((screen) => ({ default: screen.Payments }));
const Payments = lazy(loadPayments);
const Approvals = lazy(() =>
  import('./screens/approvals/approvals.js').then((screen) => ({ default: screen.Approvals })),
);
const Webhooks = lazy(() =>
  import('./screens/webhooks/webhooks.js').then((screen) => ({ default: screen.Webhooks })),
);
const Endpoint = lazy(() =>
  import('./screens/webhooks/endpoint.js').then((screen) => ({ default: screen.Endpoint })),
);
const Settings = lazy(() =>
  import('./screens/settings/settings.js').then((screen) => ({ default: screen.Settings })),
);

/** Loads the largest screens while it is asked who is signed in. One that fails to load is loaded again when it is shown. */
export function loadFirstScreen(path: string): void {
  const isWallet = /^\/wallets\/[0-9a-f-]{36}$/.test(path);
  const load = path === '/' ? loadHome : path === '/payments' ? loadPayments : isWallet ? loadWallet : null;
  load?.().catch(() => undefined);
}

export function App() {
  return (
    <Routes>
      <Route element={<GuestOnly />}>
        <Route path="/sign-in" element={<SignIn />} />
        <Route path="/sign-up" element={<SignUp />} />
        <Route path="/forgot-password" element={<ForgotPassword />} />
      </Route>
      <Route
        path="/reset-password"
        element={
          <Suspense fallback={<Splash />}>
            <ResetPassword />
          </Suspense>
        }
      />
      <Route element={<RequireAuth />}>
        <Route index element={<Home />} />
        <Route path="/wallets/new" element={<NewWallet />} />
        <Route path="/wallets/:walletId" element={<Wallet />} />
        <Route path="/wallets/:walletId/created" element={<WalletCreated />} />
        <Route path="/payments" element={<Payments />} />
        <Route path="/approvals" element={<Approvals />} />
        <Route path="/webhooks" element={<Webhooks />} />
        <Route path="/webhooks/:endpointId" element={<Endpoint />} />
        <Route path="/settings" element={<Settings />} />
        <Route path="/business" element={<Navigate to="/settings" replace />} />
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
          <Suspense fallback={<Splash />}>
            <Shell>
              <Suspense fallback={<BlocksLoading heights={[36, 100, 260]} />}>
                <Outlet />
              </Suspense>
            </Shell>
          </Suspense>
        ) : (
          <Navigate
            to={{ pathname: '/sign-in', search: hasLeft() ? '' : nextOf(pathname + search) }}
            replace
          />
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
      {(signedIn) =>
        signedIn ? (
          <Navigate to={nextIn(search)} replace />
        ) : (
          <Suspense fallback={<Splash />}>
            <Outlet />
          </Suspense>
        )
      }
    </WithSession>
  );
}

function WithSession({ children }: { children: (signedIn: boolean) => ReactNode }) {
  const session = useSession();
  if (session.isPending) return <Splash />;
  if (session.isError && session.data === undefined) {
    return (
      <Stack maw={560} mx="auto" px="md" pt="18vh" component="main">
        <Logo />
        <Failure error={session.error} what="This page" onRetry={() => void session.refetch()} />
      </Stack>
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
      <Title order={1}>Page not found</Title>
      <Text>
        The address may be old or mistyped. <Link to="/">Go to your wallets</Link>.
      </Text>
    </Stack>
  );
}
