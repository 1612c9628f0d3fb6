import 'reflect-metadata';
import type { Resealed } from '../src/platform/security/resealing.js';
import { runCommand } from './database.js';
import { readFlags } from './flags.js';
import { withSecrets } from './secrets.js';
import { RESEAL } from './usage.js';

const SAY_MS = 2_000;

interface Resealable {
  reseal(report: (rows: number) => void): Promise<Resealed>;
}

async function main(): Promise<number> {
  readFlags(RESEAL.help, RESEAL.options, undefined, RESEAL.wrong);
  return withSecrets(say, async (app) => {
    const { EndpointSecrets } =
      await import('../src/contexts/notifications/endpoints/endpoint-secrets.service.js');
    const { TwoFactorSecrets } =
      await import('../src/contexts/identity/two-factor/two-factor-secrets.service.js');
    const { ReceiptKeys } = await import('../src/contexts/receipts/receipt-keys.service.js');
    const { PushKeys } = await import('../src/contexts/notices/push/push-keys.service.js');
    const kinds: readonly (readonly [string, Resealable])[] = [
      ['webhook endpoints', app.get(EndpointSecrets, { strict: false })],
      ['second factors', app.get(TwoFactorSecrets, { strict: false })],
      ['signing keys of receipts', app.get(ReceiptKeys, { strict: false })],
      ['keys of web push', app.get(PushKeys, { strict: false })],
    ];
    let unopenable = 0;
    for (const [kind, secrets] of kinds) {
      const tally = await secrets.reseal(progress(kind));
      unopenable += tally.unopenable;
      process.stdout.write(
        `${kind}: ${number(tally.resealed)} of ${number(tally.rows)} encrypted anew, ` +
          `${number(tally.unopenable)} secrets can not be decrypted\n`,
      );
    }
    process.stdout.write(
      unopenable === 0
        ? 'All is encrypted under the newest secrets. What is in WEBHOOK_ENCRYPTION_KEY_PREVIOUS and ' +
            'TWO_FACTOR_ENCRYPTION_KEY_PREVIOUS is needed no more; sessions under JWT_SECRET_PREVIOUS end with it.\n'
        : `${number(unopenable)} secrets stay under secrets that the settings do not name: name those of before in ` +
            'JWT_SECRET_PREVIOUS, WEBHOOK_ENCRYPTION_KEY_PREVIOUS and TWO_FACTOR_ENCRYPTION_KEY_PREVIOUS.\n',
    );
    return unopenable === 0 ? 0 : 2;
  });
}

/** One line every {@link SAY_MS} at most. */
function progress(kind: string): (rows: number) => void {
  let next = performance.now() + SAY_MS;
  return (rows) => {
    if (performance.now() < next) return;
    next = performance.now() + SAY_MS;
    say(`${number(rows)} ${kind} so far…`);
  };
}

const number = (value: number): string => value.toLocaleString('en');

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

runCommand(main, 'Nothing more is encrypted anew. ');
