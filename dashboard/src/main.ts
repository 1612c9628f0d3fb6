import './fonts/fonts.css';
import './styles/mantine.css';
import './styles/base.css';
import './styles/tables.css';
import './styles/wallet.css';
import { askEarly } from './start/early.js';
import { loadFirstScreen } from './start/first-screen.js';

/** Lets the browser draw, and answer to a hand. */
const breathe = () => new Promise((resolve) => setTimeout(resolve));

/*
 * Loaded at once, evaluated in steps that keep the page responsive. The page names these files
 * (vite.config.mjs).
 */
const { pathname } = window.location;
void askEarly(pathname).then(
  (isSignedIn) => loadFirstScreen(pathname, isSignedIn),
  () => undefined,
);
const { createRoot } = await import('./start/react.js');
await breathe();
await import('./start/libraries.js');
await breathe();
const { start } = await import('./start/app.js');
await breathe();
start(createRoot(document.getElementById('root') as HTMLElement));
