import { useEffect, useRef, useState } from 'react';
import { hasLeft, isSessionOver, useUser } from '../../session/session.js';

/*
 * Keeps unfinished input of a user over a new sign-in, in this tab's memory. Taken once; a reload or sign-out
 * drops it.
 */
const kept = new Map<string, unknown>();

const useKey = (name: string): string => `${useUser().id} ${name}`;

/** Null: nothing kept. */
export function useFound<Kept>(name: string): Kept | null {
  const key = useKey(name);
  const [found] = useState(() => (kept.get(key) as Kept | undefined) ?? null);
  return found;
}

/** Keeps what `what` answers where the session ends while this is on the screen. */
export function useKeeping(name: string, what: () => unknown): void {
  const key = useKey(name);
  const latest = useRef(what);
  useEffect(() => {
    latest.current = what;
  });
  useEffect(() => {
    kept.delete(key);
    return () => {
      if (hasLeft()) kept.clear();
      else if (isSessionOver()) kept.set(key, latest.current());
    };
  }, [key]);
}

/** As useState, for what a dialog or a form is about. */
export function useKeptState<State>(name: string, initial: State) {
  const found = useFound<{ readonly state: State }>(name);
  const [state, set] = useState(found ? found.state : initial);
  useKeeping(name, () => ({ state }));
  return [state, set] as const;
}
