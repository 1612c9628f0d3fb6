import type { QueryClient } from '@tanstack/react-query';
import { renew } from '../push/this-browser.js';
import { isLive, setLive } from './live-state.js';
import { Rounds } from './rounds.js';
import { listen } from '../start/early.js';
import { SILENCE_MS, type Told } from './stream.js';

/**
 * Keeps what is shown as it is at the service, by its events; by asking on a clock while they aren't heard. `onHeard`
 * is called when events are heard from then on, or are refused.
 */
export function goLive(client: QueryClient, userId: string, onHeard: () => void): () => void {
  const rounds = new Rounds(client);
  let silence: number | undefined;
  const become = (is: boolean) => {
    if (isLive() === is) return;
    setLive(is);
    resetClocks(client);
    // No event reports what failed meanwhile.
    if (is) void client.refetchQueries({ type: 'active', predicate: ({ state }) => state.error !== null });
  };
  const hear = (told: Told) => {
    clearTimeout(silence);
    silence = window.setTimeout(() => become(false), SILENCE_MS);
    switch (told.type) {
      case 'up':
        become(true);
        return;
      case 'live':
        become(true);
        onHeard();
        return;
      case 'down':
        become(false);
        return;
      case 'refused':
        become(false);
        // The session may be over.
        rounds.add({ type: 'ready' });
        onHeard();
        return;
      default:
        // The tab with the stream was suspended: refetch.
        if (!isLive()) rounds.add({ type: 'ready' });
        become(true);
        if (told.type !== 'alive') rounds.add(told);
        if (told.type === 'ready') onHeard();
    }
  };
  void renew(userId).catch(() => undefined);
  const end = listen(userId, hear);
  return () => {
    end();
    clearTimeout(silence);
    rounds.stop();
    setLive(false);
  };
}

/** Each query shown says anew whether it is asked for on a clock. */
function resetClocks(client: QueryClient): void {
  for (const { observers } of client.getQueryCache().getAll()) {
    for (const observer of observers) observer.setOptions(observer.options);
  }
}
