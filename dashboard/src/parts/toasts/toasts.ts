import { messageOf } from '../../text/words.js';
import type { Toast } from './toast-stack.js';

/*
 * Short messages after an action. What shows them is loaded with the first of them, since the first screen needs none.
 */

let mounted: (() => void) | null = null;

/** Called by the place where toasts appear, once it is on the page. */
export function onFirstToast(mount: () => void): void {
  mounted = mount;
}

const load = () => import('./toast-stack.js').catch(() => null);

/** Loads what shows toasts, so that it is there when the service can't be reached. */
export const preloadToasts = () => void load();

/** Says briefly that an action was done. */
export async function toast(shown: Toast): Promise<void> {
  mounted?.();
  const stack = await load();
  stack?.show(shown);
}

/** Says that an action failed, where nothing else on the screen would. */
export function refused(error: unknown): void {
  void toast({ tone: 'bad', title: 'That didn’t work', message: messageOf(error) });
}
