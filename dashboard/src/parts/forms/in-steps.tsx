import { Children, type ReactNode, startTransition, useEffect, useState } from 'react';

/** Set when the first screen of a visit stands: what follows is loaded already, and stands where it stood for `back`. */
let isUnderWay = false;

/**
 * Draws the parts of the first screen one below the other, each in a task of its own and that in slices, so that none
 * of them holds the page for long.
 */
export function InSteps({ children }: { children: ReactNode }) {
  const parts = Children.toArray(children);
  const [count, setCount] = useState(isUnderWay ? Infinity : 1);
  const isWhole = count >= parts.length;
  useEffect(() => {
    if (isWhole) {
      isUnderWay = true;
      return;
    }
    const next = setTimeout(() => startTransition(() => setCount(count + 1)));
    return () => clearTimeout(next);
  }, [count, isWhole]);
  return parts.slice(0, count);
}
