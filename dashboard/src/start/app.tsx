import { MantineProvider } from '@mantine/core';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { startTransition, StrictMode } from 'react';
import type { Root } from 'react-dom/client';
import { BrowserRouter } from 'react-router';
import { queryKeys } from '../api/query-keys.js';
import { ApiError } from '../api/request.js';
import { App } from '../app.js';
import { isLive } from '../live/live-state.js';
import { isTransient, once } from '../live/poll-intervals.js';
import { reloadIfStale } from './release.js';
import { clearSession } from '../session/session.js';
import { resolver, theme } from '../look/theme.js';
import { keepFocus } from './keep-focus.js';

function onError(error: unknown): void {
  if (!(error instanceof ApiError)) return;
  if (error.code === 'UNAUTHORIZED') clearSession(client);
  // The role changed meanwhile, or what the business demands.
  if (error.code === 'FORBIDDEN' || error.code === 'TWO_FACTOR_DEMANDED')
    void client.invalidateQueries({ queryKey: queryKeys.session });
}

const client = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError, onMutate: keepFocus }),
  defaultOptions: {
    queries: {
      // Milliseconds in which a part that is drawn later asks for nothing again. What events report is asked for at once.
      staleTime: () => (isLive() ? 10_000 : 2_000),
      retry: (failures, error) => isTransient(error) && failures < 2,
      refetchInterval: once,
    },
  },
});

window.addEventListener('vite:preloadError', () => void reloadIfStale());

/** Draws all of the app, in slices: between two of them the page answers to a hand. */
export function start(root: Root): void {
  startTransition(() => root.render(app));
}
const app = (
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={resolver} defaultColorScheme="auto">
      <QueryClientProvider client={client}>
        <BrowserRouter>
          <App />
        </BrowserRouter>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>
);
