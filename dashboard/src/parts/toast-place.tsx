import { lazy, Suspense, useEffect, useState } from 'react';
import { onFirstToast } from './toasts.js';

const ToastStack = lazy(() => import('./toast-stack.js'));

/** Where toasts appear. */
export function ToastPlace() {
  const [isNeeded, setIsNeeded] = useState(false);
  useEffect(() => onFirstToast(() => setIsNeeded(true)), []);
  return isNeeded ? (
    <Suspense>
      <ToastStack />
    </Suspense>
  ) : null;
}
