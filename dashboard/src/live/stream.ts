import type { Change } from './changes.js';

export type Told =
  | Change
  | { readonly type: 'alive' }
  | { readonly type: 'up' }
  /** Another tab hears the events already. */
  | { readonly type: 'live' }
  | { readonly type: 'down' }
  | { readonly type: 'refused' };

/** The service sends an event every 15 s at least: a connection that is silent for this long is dead. */
export const SILENCE_MS = 40_000;
const REOPEN_MS = 2_000;
const REOPEN_MS_MAX = 60_000;

/**
 * Keeps a stream of events open. One that breaks off is resumed by the browser behind the last event; one that the
 * service refuses, or that fell silent, is opened anew, each time after twice the pause. Answers what closes it.
 */
export function openStream(tell: (told: Told) => void): () => void {
  let source: EventSource | undefined;
  let silence: number | undefined;
  let reopening: number | undefined;
  let failures = 0;

  const open = () => {
    clearTimeout(reopening);
    reopening = undefined;
    const opened = new EventSource('/v1/events');
    source = opened;
    listen();
    opened.addEventListener('open', () => {
      failures = 0;
      hear({ type: 'up' });
    });
    opened.addEventListener('message', ({ data }: MessageEvent<string>) => hear(JSON.parse(data) as Change));
    opened.addEventListener('alive', () => hear({ type: 'alive' }));
    opened.addEventListener('error', () => {
      if (opened.readyState === EventSource.CLOSED) giveUp('refused');
      else tell({ type: 'down' });
    });
  };
  const listen = () => {
    clearTimeout(silence);
    silence = window.setTimeout(() => giveUp('down'), SILENCE_MS);
  };
  const hear = (told: Told) => {
    listen();
    tell(told);
  };
  const giveUp = (type: 'refused' | 'down') => {
    clearTimeout(silence);
    source?.close();
    const pause = Math.min(REOPEN_MS_MAX, REOPEN_MS * 2 ** failures);
    failures += 1;
    // Not all tabs of all users at the same moment.
    reopening = window.setTimeout(open, pause * (0.75 + Math.random() / 2));
    tell({ type });
  };
  const onOnline = () => {
    if (reopening !== undefined) open();
  };
  window.addEventListener('online', onOnline);
  open();
  return () => {
    window.removeEventListener('online', onOnline);
    clearTimeout(silence);
    clearTimeout(reopening);
    source?.close();
  };
}
