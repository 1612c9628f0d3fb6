/*
 * Short messages after an action. What shows them is loaded with the first of them, since the first screen needs none.
 */

type Shown = { title?: string; message: string; tone?: 'good' | 'info' | 'bad' };

let mounted: (() => void) | null = null;
const load = () => import('./toast-stack.js');

/** Called by the place where toasts appear, once it is on the page. */
export function onFirstToast(mount: () => void): void {
  mounted = mount;
}

/** Says briefly that an action was done. */
export async function toast(shown: Shown): Promise<void> {
  mounted?.();
  const { show } = await load();
  show(shown);
}
