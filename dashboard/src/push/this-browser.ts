import { addPushBrowser } from '../api/notifications.js';

/* Web push in this browser: its permission, and its subscription at the browser's push service. */

const WORKER = '/sw.js';
/** The user who turned it on here: nobody else who signs in is subscribed by that. */
const TURNED_ON_BY = 'push.turnedOnBy';

export type Permission = NotificationPermission | 'unsupported';

export function permission(): Permission {
  const isAble = 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;
  return isAble ? Notification.permission : 'unsupported';
}

export async function endpointHere(): Promise<string | null> {
  return (await subscriptionHere())?.endpoint ?? null;
}

/** Asks for the permission. Null: it was not given. */
export async function turnOn(userId: string, publicKey: string): Promise<string | null> {
  if ((await Notification.requestPermission()) !== 'granted') return null;
  await navigator.serviceWorker.register(WORKER);
  const { pushManager } = await navigator.serviceWorker.ready;
  const former = await pushManager.getSubscription();
  if (former && !isUnder(former, publicKey)) await former.unsubscribe();
  const subscription = await pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: publicKey,
  });
  await tellService(subscription);
  localStorage.setItem(TURNED_ON_BY, userId);
  return subscription.endpoint;
}

export async function turnOff(): Promise<void> {
  localStorage.removeItem(TURNED_ON_BY);
  await (await subscriptionHere())?.unsubscribe();
}

/** A subscription ends with its session: whoever turned it on here has it again with the next one. */
export async function renew(userId: string): Promise<void> {
  if (permission() !== 'granted' || localStorage.getItem(TURNED_ON_BY) !== userId) return;
  const subscription = await subscriptionHere();
  if (subscription) await tellService(subscription);
}

async function subscriptionHere(): Promise<PushSubscription | null> {
  if (permission() === 'unsupported') return null;
  const registration = await navigator.serviceWorker.getRegistration(WORKER);
  return (await registration?.pushManager.getSubscription()) ?? null;
}

async function tellService(subscription: PushSubscription): Promise<void> {
  const { endpoint = '', keys: { p256dh = '', auth = '' } = {} } = subscription.toJSON();
  await addPushBrowser({ endpoint, p256dh, auth });
}

function isUnder({ options: { applicationServerKey: key } }: PushSubscription, publicKey: string): boolean {
  if (!key) return false;
  const text = btoa(String.fromCharCode(...new Uint8Array(key)));
  return text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '') === publicKey;
}
