/*
 * How soon the largest text or picture of a screen is drawn (LCP) on slow 4G with a CPU four times slower, of a service
 * that runs: SERVICE_URL=http://127.0.0.1:3000 node test/bench/paint.mjs
 */
import { loadavg } from 'node:os';
import { chromium } from '@playwright/test';

const { SERVICE_URL: service = 'http://127.0.0.1:3000', CHROMIUM = '/usr/bin/chromium-headless-shell' } =
  process.env;
const RUNS = 5;
/** Lighthouse's slow 4G: latency in milliseconds, throughput in bytes a second. */
const SLOW_4G = {
  offline: false,
  latency: 150,
  downloadThroughput: (1.6 * 1_000_000) / 8,
  uploadThroughput: (750 * 1_000) / 8,
};
const CPU_SLOWER = 4;
/** After the last answer, by which the largest is drawn. */
const SETTLED_MS = 6_000;

const call = async (path, body, token) => {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
  const answer = await fetch(service + path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
};

const email = `paint-${Date.now()}@example.com`;
const account = { email, password: 'correct horse', accountType: 'developer' };
const { token, user } = (await call('/v1/auth/signup', account)).data;
const wallet = {
  userId: user.id,
  name: 'Research agent',
  expiry: '2099-01-01T00:00:00Z',
  spendLimitPerTx: 500_000,
  spendLimitPeriod: 5_000_000,
  periodDays: 7,
};
const made = await call('/api/wallets', wallet, token);
const walletId = made.data.wallet.id;

const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
for (const [name, path, isSignedIn] of [
  ['sign-in', '/sign-in', false],
  ['Home', '/', true],
  ['wallet', `/wallets/${walletId}`, true],
]) {
  const paints = [];
  const sizes = [];
  for (let run = 0; run < RUNS; run += 1) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    if (isSignedIn)
      await context.addCookies([{ name: 'session', value: token, url: service, httpOnly: true }]);
    const page = await context.newPage();
    const cdp = await context.newCDPSession(page);
    let bytes = 0;
    cdp.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
    await cdp.send('Network.enable');
    await cdp.send('Network.emulateNetworkConditions', SLOW_4G);
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWER });
    await page.goto(service + path);
    await page.waitForTimeout(SETTLED_MS);
    paints.push(
      await page.evaluate(
        `new Promise((done) => new PerformanceObserver((list) => done(list.getEntries().at(-1).startTime))
          .observe({ type: 'largest-contentful-paint', buffered: true }))`,
      ),
    );
    sizes.push(bytes);
    await context.close();
  }
  const [, , median] = paints.toSorted((a, b) => a - b);
  console.log(
    `${name}: LCP ${(median / 1_000).toFixed(2)} s (median of ${RUNS}, ${paints.map((ms) => (ms / 1_000).toFixed(2)).join(' ')}), ` +
      `${Math.round(sizes[0] / 1_024)} KB`,
  );
}
await browser.close();
console.log(`load ${loadavg()[0].toFixed(1)}`);
