// How much a dead and a slow endpoint cost a healthy one.
//
//   npm run build && DATABASE_URL=postgres://… node test/bench/webhooks.mjs [credits, default 10000]
//
// Each round has a user of its own with 20 wallets, and credits them by transfers, 32 at a time: first with one
// healthy endpoint, then with three: healthy, dead (refuses connections, or never answers) and slow (a second an
// answer). Measured is the time from the first transfer to the last delivery at the healthy one. The database is
// the one that DATABASE_URL names: use an empty one.
import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { Agent, createServer, request } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const CREDITS = Number(process.argv[2] ?? 10_000);
const WALLETS = 20;
const AT_ONCE = 32;
const PORT = 3999;
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

function call(method, path, { token, body } = {}) {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const sent = request(
      {
        port: PORT,
        method,
        path,
        agent,
        headers: {
          ...(text !== undefined && {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(text),
          }),
          ...(token && { authorization: `Bearer ${token}` }),
        },
      },
      (response) => {
        let answer = '';
        response.on('data', (chunk) => (answer += chunk));
        response.on('end', () => {
          if (response.statusCode >= 300) reject(new Error(`${path}: ${response.statusCode} ${answer}`));
          else resolve(answer ? JSON.parse(answer) : {});
        });
      },
    );
    sent.on('error', reject);
    sent.end(text);
  });
}

/** Counts the different messages that arrive. */
function receiver(behave) {
  const seen = new Map();
  let last = 0;
  const server = createServer((received, response) => {
    const id = received.headers['webhook-id'];
    received.resume();
    received.on('end', () => {
      seen.set(id, (seen.get(id) ?? 0) + 1);
      if (seen.get(id) === 1) last = performance.now();
      behave(response);
    });
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () =>
      resolve({
        url: `http://127.0.0.1:${server.address().port}/hook`,
        seen,
        lastAt: () => last,
        close: () => {
          server.closeAllConnections();
          server.close();
        },
      }),
    );
  });
}

async function round(name, others) {
  const { data } = await call('POST', '/v1/auth/signup', {
    body: { email: `${randomUUID()}@example.com`, password: 'correct horse', accountType: 'developer' },
  });
  const { token } = data;
  const wallets = [];
  for (let i = 0; i < WALLETS; i += 1) {
    const made = await call('POST', '/api/wallets', {
      token,
      body: {
        name: `Agent ${i}`,
        userId: data.user.id,
        spendLimitPerTx: 1_000,
        spendLimitPeriod: 1_000,
        expiry: '2099-01-01T00:00:00Z',
      },
    });
    wallets.push(made.data.wallet.id);
  }
  const healthy = await receiver((response) => response.end('ok'));
  const urls = [healthy.url, ...others];
  for (const url of urls) await call('POST', '/v1/webhook-endpoints', { token, body: { url } });

  const started = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (next < CREDITS) {
        const i = next++;
        await call('POST', '/api/webhooks', {
          body: {
            event: 'charge.success',
            data: {
              reference: randomUUID(),
              amount: 10.5,
              currency: 'NGN',
              virtual_bank_account: { account_reference: wallets[i % WALLETS] },
            },
          },
        });
      }
    }),
  );
  const credited = performance.now();
  while (healthy.seen.size < CREDITS && performance.now() - started < 600_000) await sleep(20);
  const delivered = healthy.lastAt() - started;
  const repeats = [...healthy.seen.values()].filter((count) => count > 1).length;
  console.log(
    `${name}: ${healthy.seen.size} of ${CREDITS} delivered in ${(delivered / 1_000).toFixed(2)} s ` +
      `(credits took ${((credited - started) / 1_000).toFixed(2)} s; ${repeats} came twice)`,
  );
  // Nothing of this round may be left for the next one.
  const { data: endpoints } = await call('GET', '/v1/webhook-endpoints', { token });
  for (const { id } of endpoints) await call('DELETE', `/v1/webhook-endpoints/${id}`, { token });
  healthy.close();
  await sleep(2_000);
  return delivered;
}

const main = fileURLToPath(new URL('../../dist/src/main.js', import.meta.url));
const service = spawn(process.execPath, [main], {
  env: {
    ...process.env,
    PORT: String(PORT),
    LOG_LEVEL: 'error',
    JWT_SECRET: 'a secret that is used for this benchmark alone',
  },
  stdio: 'inherit',
});
try {
  for (let i = 0; i < 200; i += 1) {
    if (await call('GET', '/health/ready').catch(() => null)) break;
    await sleep(100);
  }
  const slow = await receiver((response) => setTimeout(() => response.end('ok'), 1_000));
  const hanging = await receiver(() => undefined);
  await round('warm-up', []);
  const alone = await round('healthy alone', []);
  const refusing = await round('beside a refusing and a slow one', ['http://127.0.0.1:1024/', slow.url]);
  const mute = await round('beside a mute and a slow one', [hanging.url, slow.url]);
  console.log(`times the time alone: ${(refusing / alone).toFixed(2)} and ${(mute / alone).toFixed(2)}`);
  slow.close();
  hanging.close();
} finally {
  service.kill('SIGTERM');
}
