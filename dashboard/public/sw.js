// Shows notifications that the service pushes, and opens what they are about. It keeps no file and answers no request.
self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('push', (event) => {
  const { title, body, path, topic } = event.data.json();
  const options = { body, tag: topic, renotify: true, icon: '/favicon.svg', data: { path } };
  event.waitUntil(self.registration.showNotification(title, options));
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data.path));
});

/** A signed-in page of the app answers within this. */
const ANSWER_MS_MAX = 1_000;

/** In the tab that was used last, else in a new one. */
async function open(path) {
  const url = new URL(path, self.location.origin);
  if (url.origin !== self.location.origin) return;
  const [tab] = await self.clients.matchAll({ type: 'window' });
  if (!tab) {
    await self.clients.openWindow(url);
    return;
  }
  await tab.focus().catch(() => undefined);
  if (!(await isOpenedIn(tab, url.pathname + url.search))) await tab.navigate(url);
}

/** Within the app, which then loads nothing again and loses nothing. */
function isOpenedIn(tab, path) {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve(true);
    setTimeout(() => resolve(false), ANSWER_MS_MAX);
    tab.postMessage({ open: path }, [port2]);
  });
}
