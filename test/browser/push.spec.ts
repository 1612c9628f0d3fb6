import { createECDH, randomBytes } from 'node:crypto';
import { expect } from '@playwright/test';
import { enter, fund, pay, person, test, walletOf } from './accounts.js';

test('a browser is turned on for push; a click on what arrives opens the approval; it is turned off again', async ({
  page,
  context,
}) => {
  const owner = await person();
  const wallet = await walletOf(owner, { approvalThreshold: 100_000 });
  await fund(wallet, 10_000);
  const id = await pay(wallet, 150_000, 'Konga', 'Suitcase');
  const endpoint = `http://127.0.0.1:65001/push/${owner.id}`;
  const keys = createECDH('prime256v1').generateKeys('base64url');
  const subscription = { endpoint, keys: { p256dh: keys, auth: randomBytes(16).toString('base64url') } };
  // The browser without a window has neither a push service nor notifications.
  await page.addInitScript(`
    Object.defineProperty(Notification, 'permission', { get: () => 'granted' });
    Notification.requestPermission = async () => 'granted';
    let mine = null;
    const made = { endpoint: ${JSON.stringify(endpoint)}, toJSON: () => (${JSON.stringify(subscription)}),
      options: {}, unsubscribe: async () => { mine = null; return true; } };
    PushManager.prototype.getSubscription = async () => mine;
    PushManager.prototype.subscribe = async () => (mine = made);`);
  await enter(context, owner);
  await page.goto('/settings?tab=notifications');
  const choice = page.getByRole('switch', { name: 'A payment waits for approval: Push' });
  await expect(choice).toBeChecked();
  await choice.focus();
  await page.keyboard.press('Space');
  await expect(choice).not.toBeChecked();
  await page.getByRole('button', { name: 'Turn on in this browser' }).click();
  await expect(page.getByText('Notifications are on in this browser')).toBeVisible();
  await expect(page.getByText('This one')).toBeVisible();

  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
  await worker.evaluate(`globalThis.shown = [];
    ServiceWorkerRegistration.prototype.showNotification = async (title, options) => {
      shown.push({ title, ...options, close() { shown.pop(); } });
    };`);
  const cdp = await context.newCDPSession(page);
  const registered = new Promise<string>((found) =>
    cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      if (registrations[0]) found(registrations[0].registrationId);
    }),
  );
  await cdp.send('ServiceWorker.enable');
  const data = {
    title: 'Approve ₦1,500.00 to Konga?',
    body: 'It waits.',
    path: `/approvals?id=${id}`,
    topic: 'a',
  };
  await cdp.send('ServiceWorker.deliverPushMessage', {
    origin: new URL(page.url()).origin,
    registrationId: await registered,
    data: JSON.stringify(data),
  });
  const shown = () => worker.evaluate('shown.map(({ title, tag }) => title + tag)');
  await expect.poll(shown).toEqual([`${data.title}${data.topic}`]);
  const click = () =>
    worker.evaluate(`(() => {
      const click = new ExtendableEvent('notificationclick');
      click.notification = { data: { path: ${JSON.stringify(data.path)} }, ...shown[0], close: () => shown.pop() };
      dispatchEvent(click);
    })()`);
  // The tab goes there without being loaded again.
  await page.evaluate('window.isTheSame = true');
  await click();
  await expect(page).toHaveURL(`/approvals?id=${id}`);
  await expect(page.getByRole('region', { name: 'Konga' })).toBeVisible();
  expect(await shown()).toEqual([]);
  expect(await page.evaluate('window.isTheSame')).toBe(true);
  // A page that is not the app's is loaded anew.
  await page.goto('/docs');
  await click();
  await expect(page).toHaveURL(`/approvals?id=${id}`);
  await expect(page.getByRole('region', { name: 'Konga' })).toBeVisible();

  await page.goto('/settings?tab=notifications');
  await page.getByRole('button', { name: 'Turn off' }).click();
  await expect(page.getByRole('button', { name: 'Turn on in this browser' })).toBeVisible();
});

test('being offline is said at once, and what failed to load comes when back', async ({ page, context }) => {
  const owner = await person();
  await walletOf(owner);
  await enter(context, owner);
  await page.goto('/');
  await expect(page.getByRole('link', { name: /Research|agent/i }).first()).toBeVisible();
  await context.setOffline(true);
  await expect(page.getByText('You are offline.')).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByText('You are offline.')).toBeHidden();
});
