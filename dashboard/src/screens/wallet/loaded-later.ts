import { loader } from '../../parts/loading/loader.js';

/* Parts loaded once the wallet is drawn, or at their first use. */

export const loadLater = loader(() => import('./later.js'));
export const loadHeroDialogs = loader(() => import('./hero-dialogs.js'));
export const loadOtherTab = loader(() => import('./other-tabs.js'));
