import { openStream, type Told } from './stream.js';

/**
 * One stream for all tabs of a browser, which may hold six connections to a service of HTTP/1.1: one tab has it and
 * passes on what it hears; when that tab is closed, another one takes over. Where a browser can't, each tab has its
 * own. Answers what ends the listening.
 */
export function shareStream(userId: string, tell: (told: Told) => void): () => void {
  // Browsers have locks in secure contexts only.
  if (!('locks' in navigator)) return openStream(tell);
  const name = `live updates of ${userId}`;
  const channel = new BroadcastChannel(name);
  const end = new AbortController();
  let state: Told = { type: 'down' };
  let hasIt = false;
  channel.addEventListener('message', ({ data }: MessageEvent<Told | 'how is it?'>) => {
    if (data !== 'how is it?') tell(data);
    else if (hasIt) channel.postMessage(state.type === 'up' ? { type: 'live' } : state);
  });
  channel.postMessage('how is it?');
  const have = () =>
    new Promise<void>((release) => {
      hasIt = true;
      const close = openStream((told) => {
        if (told.type === 'up' || told.type === 'down' || told.type === 'refused') state = told;
        channel.postMessage(told);
        tell(told);
      });
      end.signal.addEventListener('abort', () => {
        close();
        release();
      });
    });
  // Rejected when the tab is closed before its turn comes.
  navigator.locks.request(name, { signal: end.signal }, have).catch(() => undefined);
  return () => {
    end.abort();
    channel.close();
  };
}
