import { Suspense, useEffect, useState } from 'react';
import { Boundary } from '../loading/boundary.js';
import { loadable } from '../loading/loadable.js';
import { onFirstToast, preloadToasts } from './toasts.js';

const ToastStack = loadable(
  () => import('./toast-stack.js'),
  (part) => part.default,
);

/** By then the first screen stands. */
const PRELOAD_AFTER_MS = 3_000;

/** Where toasts appear. */
export function ToastPlace() {
  const [isNeeded, setIsNeeded] = useState(false);
  useEffect(() => onFirstToast(() => setIsNeeded(true)), []);
  // Loaded early: a toast must appear without a connection.
  useEffect(() => {
    const soon = setTimeout(preloadToasts, PRELOAD_AFTER_MS);
    return () => clearTimeout(soon);
  }, []);
  return isNeeded ? (
    <Boundary draw={() => null} onError={() => setIsNeeded(false)}>
      <Suspense>
        <ToastStack />
      </Suspense>
    </Boundary>
  ) : null;
}
