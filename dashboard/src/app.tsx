import { Stack, Text, Title } from '@mantine/core';
import { type ReactNode, Suspense } from 'react';
import { Link, Navigate, Outlet, Route, Routes, useLocation } from 'react-router';
import type { SignedIn } from './api/types.js';
import { loadHome, loadPayments, loadShell, loadSignIn, loadWallet } from './start/first-screen.js';
import { Boundary } from './parts/loading/boundary.js';
import { Failure } from './parts/loading/failure.js';
import { loadable } from './parts/loading/loadable.js';
import { BlocksLoading } from './parts/loading/loading.js';
import { Logo } from './parts/frame/logo.js';
import { useTitle } from './parts/frame/title.js';
import { Splash } from './parts/frame/splash.js';
import { useLive } from './live/use-live.js';
import { hasLeft, useSession, useUser } from './session/session.js';

const Shell = loadable(loadShell, ({ Shell }) => Shell);
const SignIn = loadable(loadSignIn, ({ SignIn }) => SignIn);
const SignUp = loadable(
  () => import('./screens/sign-in/sign-up.js'),
  ({ SignUp }) => SignUp,
);
const ForgotPassword = loadable(
  () => import('./screens/sign-in/forgot-password.js'),
  ({ ForgotPassword }) => ForgotPassword,
);
const ResetPassword = loadable(
  () => import('./screens/sign-in/reset-password.js'),
  ({ ResetPassword }) => ResetPassword,
);
const Invitation = loadable(
  () => import('./screens/sign-in/invitation.js'),
  ({ Invitation }) => Invitation,
);
const Home = loadable(loadHome, ({ Home }) => Home);
const NewWallet = loadable(
  () => import('./screens/new-wallet/new-wallet.js'),
  ({ NewWallet }) => NewWallet,
);
const WalletCreated = loadable(
  () => import('./screens/new-wallet/wallet-created.js'),
  ({ WalletCreated }) => WalletCreated,
);
const Wallet = loadable(loadWallet, ({ Wallet }) => Wallet);
const Payments = loadable(loadPayments, ({ Payments }) => Payments);
const Analytics = loadable(
  () => import('./screens/analytics/analytics.js'),
  ({ Analytics }) => Analytics,
);
const Statements = loadable(
  () => import('./screens/statements/statements.js'),
  ({ Statements }) => Statements,
);
const Approvals = loadable(
  () => import('./screens/approvals/approvals.js'),
  ({ Approvals }) => Approvals,
);
const Notifications = loadable(
  () => import('./screens/notifications/notifications.js'),
  ({ Notifications }) => Notifications,
);
const Webhooks = loadable(
  () => import('./screens/webhooks/webhooks.js'),
  ({ Webhooks }) => Webhooks,
);
const Endpoint = loadable(
  () => import('./screens/webhooks/endpoint.js'),
  ({ Endpoint }) => Endpoint,
);
const Settings = loadable(
  () => import('./screens/settings/settings.js'),
  ({ Settings }) => Settings,
);
const Members = loadable(
  () => import('./screens/members/members.js'),
  ({ Members }) => Members,
);
const Activity = loadable(
  () => import('./screens/activity/activity.js'),
  ({ Activity }) => Activity,
);

const DemandedTwoFactor = loadable(
  () => import('./screens/settings/demanded-two-factor.js'),
  ({ DemandedTwoFactor }) => DemandedTwoFactor,
);

const Operator = loadable(
  () => import('./screens/operator/operator.js'),
  ({ Operator }) => Operator,
);

export function App() {
  const { pathname } = useLocation();
  return (
    <Boundary at={pathname} draw={(error, retry) => <WithoutFrame error={error} onRetry={retry} />}>
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
        <Route
          path="/invitation"
          element={
            <Suspense fallback={<Splash />}>
              <Invitation />
            </Suspense>
          }
        />
        <Route element={<RequireAuth />}>
          <Route index element={<Home />} />
          <Route path="/wallets/new" element={<NewWallet />} />
          <Route path="/wallets/:walletId" element={<Wallet />} />
          <Route path="/wallets/:walletId/created" element={<WalletCreated />} />
          <Route path="/payments" element={<Payments />} />
          <Route path="/payments/analytics" element={<Analytics />} />
          <Route path="/statements" element={<Statements />} />
          <Route path="/approvals" element={<Approvals />} />
          <Route path="/notifications" element={<Notifications />} />
          <Route path="/webhooks" element={<Webhooks />} />
          <Route path="/webhooks/:endpointId" element={<Endpoint />} />
          <Route path="/settings" element={<Settings />} />
          <Route path="/settings/members" element={<Members />} />
          <Route path="/settings/activity" element={<Activity />} />
          <Route path="/business" element={<Navigate to="/settings" replace />} />
          <Route path="/operator/*" element={<ForOperators />} />
          <Route path="*" element={<NotFound />} />
        </Route>
      </Routes>
    </Boundary>
  );
}

/** Screens of a signed-in user; a guest signs in first and comes back. */
function RequireAuth() {
  const { pathname, search } = useLocation();
  return (
    <WithSession>
      {(signedIn) =>
        signedIn?.membership.mustSetUpTwoFactor ? (
          <Suspense fallback={<Splash />}>
            <DemandedTwoFactor />
          </Suspense>
        ) : signedIn ? (
          <Live userId={signedIn.id}>
            <Shell>
              <Suspense fallback={<BlocksLoading heights={[36, 100, 260]} />}>
                <Boundary
                  at={pathname}
                  draw={(error, retry) => <Failure error={error} what="This page" onRetry={retry} />}
                >
                  <Outlet />
                </Boundary>
              </Suspense>
            </Shell>
          </Live>
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

/** Asks for nothing before events are heard: what changes from then on is asked for again by them alone. */
function Live({ userId, children }: { userId: string; children: ReactNode }) {
  const isHeard = useLive(userId);
  return <Suspense fallback={<Splash />}>{isHeard ? children : <Splash />}</Suspense>;
}

/** Screens for guests; a signed-in user goes on to where they were going. */
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

function WithSession({ children }: { children: (signedIn: SignedIn | null) => ReactNode }) {
  const session = useSession();
  if (session.isPending) return <Splash />;
  if (session.isError && session.data === undefined) {
    return <WithoutFrame error={session.error} onRetry={() => void session.refetch()} />;
  }
  return children(session.data ?? null);
}

function ForOperators() {
  return useUser().isOperator ? <Operator nowhere={<NotFound />} /> : <NotFound />;
}

/** What couldn't be loaded, where there is no frame to say it in. */
function WithoutFrame({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <Stack maw={560} mx="auto" px="md" pt="18vh" component="main">
      <Logo />
      <Failure error={error} what="This page" onRetry={onRetry} />
    </Stack>
  );
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
