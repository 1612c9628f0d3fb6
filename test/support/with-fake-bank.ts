import type { FakeBank, FakeBankOptions } from '../fake-bank/fake-bank.ts';
import { startFakeBank } from '../fake-bank/fake-bank.ts';
import { BANK_KEY, bankSettings, freePort } from './bank-books.ts';
import { startService, type TestService } from './service.js';

/** A service that listens, and the bank it speaks to over HTTP: each knows where the other is. */
export async function startWithFakeBank(
  options: FakeBankOptions = {},
): Promise<{ fake: FakeBank; service: TestService }> {
  const port = await freePort();
  const fake = await startFakeBank({
    speed: 60,
    secret: BANK_KEY,
    retryMs: [6_000],
    webhookUrl: `http://127.0.0.1:${port}/api/webhooks`,
    payoutWebhookUrl: `http://127.0.0.1:${port}/api/webhooks/payouts`,
    ...options,
  });
  const service = await startService({ env: bankSettings(fake.url, port) });
  await service.app.listen(port, '127.0.0.1');
  return { fake, service };
}
