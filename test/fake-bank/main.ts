import { readFlags, wholeNumber } from '../../scripts/flags.ts';

const HELP = `A fake bank that speaks Kora's paths on 127.0.0.1, for tests and demonstrations.

  npm run fake-bank -- [flags]

  --port <n>                  default 4010; 0 takes a free one
  --secret <text>             signs webhooks; default sk_test_fake_bank
  --webhook-url <url>         where collections are reported
  --payout-webhook-url <url>  where payouts are reported that name no URL of their own; default: --webhook-url
  --seed <n>                  the same seed makes the same bank; default 1
  --speed <n>                 virtual per real time; default 100, 1 is real time, 0 stands until moved on
  --help

The API is under http://127.0.0.1:<port>/merchant/api/v1 and takes any key that starts with sk_test_.
The control plane is under /__fake: POST script, chaos {rate}, reset, clock/advance, balance, collections,
payouts/<reference>/settle, webhooks, webhooks/<id>/redeliver|drop|hold|release; GET calls, deliveries,
state, health.

Payees that need no control call: 033, 044 and 058 with 0000000000 succeed, 035 with 0000000000 fails
later, 011 with 9999999999 is refused. Of bank 999 the last digit of the account chooses:
  1 no answer, yet paid     4 paid, reversed an hour later   7 webhook before the answer
  2 no answer, not paid     5 webhook lost                   8 never ends
  3 502, yet paid           6 webhook twice                  9 refused as a duplicate, yet paid
`;

const flags = readFlags(HELP, {
  port: { type: 'string', default: '4010' },
  secret: { type: 'string' },
  'webhook-url': { type: 'string' },
  'payout-webhook-url': { type: 'string' },
  seed: { type: 'string', default: '1' },
  speed: { type: 'string', default: '100' },
});

// Loaded only now: a wrong flag, and --help, need none of it.
const { startFakeBank } = await import('./fake-bank.ts');
const bank = await startFakeBank({
  port: wholeNumber('port', flags.port, 0, 65_535),
  seed: wholeNumber('seed', flags.seed, 0, 999_999_999),
  speed: wholeNumber('speed', flags.speed, 0, 1_000_000),
  ...(flags.secret && { secret: flags.secret }),
  ...(flags['webhook-url'] && { webhookUrl: flags['webhook-url'] }),
  ...(flags['payout-webhook-url'] && { payoutWebhookUrl: flags['payout-webhook-url'] }),
});
process.stdout.write(`fake bank listening on ${bank.url}\n`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void bank.close());
