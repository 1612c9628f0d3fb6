import { loader } from '../../parts/loading/loader.js';

/* What is loaded once the wallet stands, or when it is asked for. */

export const loadLater = loader(() => import('./later.js'));
export const loadHeroDialogs = loader(() => import('./hero-dialogs.js'));
export const loadOtherTab = loader(() => import('./other-tabs.js'));
