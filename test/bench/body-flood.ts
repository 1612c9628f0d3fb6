/**
 * What large bodies without a login cost the payments beside them: node test/bench/body-flood.ts [rounds]. Payments run
 * on four connections, first alone, then while two more send bodies of 62 KB, one of thousands of unknown members and
 * one of as many as are allowed; the p99 of the payments is to be at most three times what it was before. Ends with a
 * sentence, and with status 1 when it is not.
 */
import { buildService } from '../support/server-process.ts';
import { median } from './figures.ts';
import { Lab, payments } from './lab.ts';
import { request } from './load.ts';

const CONNECTIONS = 4;
const SECONDS = 4;
const RATIO_MAX = 3;
const BODY_BYTES = 62_000;

function body(members: number): object {
  const value = 'x'.repeat(Math.max(1, Math.floor(BODY_BYTES / members) - 12));
  return Object.fromEntries(Array.from({ length: members }, (_, i) => [`m${i}`, value]));
}

const flood = [5_000, 990].flatMap((members) =>
  ['/v1/auth/signup', '/api/payment-intent'].map((path) => ({
    label: 'flood',
    text: request('POST', path, { 'x-api-key': 'apw_live_nobody' }, body(members)),
  })),
);

const lab = await Lab.open({ databaseUrl: undefined, profileFolder: undefined, report: () => undefined });
try {
  buildService();
  const side = await lab.service('body_flood');
  const paying = { connections: CONNECTIONS, requests: payments(await side.wallets(50)) };
  await lab.measure(side, [paying], 2);
  const ratios: number[] = [];
  for (let round = 0; round < Number(process.argv[2] ?? 5); round += 1) {
    const { payment: alone } = await lab.measure(side, [paying], SECONDS);
    const measured = await lab.measure(side, [paying, { connections: 2, requests: flood }], SECONDS);
    const beside = measured['payment']!;
    ratios.push(beside.p99 / alone!.p99);
    console.log(
      `payments alone: p50 ${alone!.p50.toFixed(2)} p99 ${alone!.p99.toFixed(2)} ms; beside ` +
        `${measured['flood']?.all} large bodies: p50 ${beside.p50.toFixed(2)} p99 ${beside.p99.toFixed(2)} ms ` +
        `(${ratios.at(-1)!.toFixed(2)} ×)`,
    );
  }
  const ratio = median(ratios);
  const isGood = ratio <= RATIO_MAX;
  console.log(
    `Large bodies make the p99 of payments ${ratio.toFixed(2)} times as long: ` +
      (isGood ? `within ${RATIO_MAX}.` : `more than ${RATIO_MAX}.`),
  );
  process.exitCode = isGood ? 0 : 1;
} finally {
  await lab.close();
}
