import { buildService } from '../support/server-process.ts';
import { median } from './duel.ts';
import { Lab, payments, type Side } from './lab.ts';

const CONNECTIONS = 4;
const SECONDS = 4;
const RATIO_MAX = 3;

/** What may be made ready for a flood, and the flood itself. */
export interface Flood {
  /** The database, and the beginning of what is said of the flood at the end: "The longest lists make". */
  readonly database: string;
  readonly says: string;
  /** Makes what the flood needs; answers what floods until it is over, and says then what it sent. */
  prepare(lab: Lab, side: Side): Promise<(isOver: () => boolean) => Promise<string>>;
  /** A bound beside that of the payments: what is wrong, where it was passed. */
  readonly complaint?: () => string | undefined;
}

/**
 * Measures what a flood costs the payments beside it. Payments run on four connections, first alone, then beside the
 * flood, as many rounds as the first argument says; the p99 of the payments is to be at most three times what it was
 * before, in the median of the rounds. Ends with a sentence, and with status 1 when it is not.
 */
export async function measureFlood({ database, says, prepare, complaint }: Flood): Promise<void> {
  const lab = await Lab.open({
    databaseUrl: undefined,
    profileFolder: process.env.PROFILE,
    report: console.log,
  });
  try {
    buildService();
    const side = await lab.service(database);
    const paying = { connections: CONNECTIONS, requests: payments(await side.wallets(50)) };
    const flood = await prepare(lab, side);
    await lab.measure(side, [paying], 2);
    const ratios: number[] = [];
    for (let round = 0; round < Number(process.argv[2] ?? 5); round += 1) {
      const { payment: alone } = await lab.measure(side, [paying], SECONDS);
      let isOver = false;
      const flooding = flood(() => isOver);
      const { payment: beside } = await lab.measure(side, [paying], SECONDS);
      isOver = true;
      const sent = await flooding;
      ratios.push(beside!.p99 / alone!.p99);
      console.log(
        `payments alone: ${alone!.perSecond.toFixed(0)}/s, p50 ${alone!.p50.toFixed(2)} p99 ${alone!.p99.toFixed(2)} ms; ` +
          `beside ${sent}: ${beside!.perSecond.toFixed(0)}/s, p50 ${beside!.p50.toFixed(2)} ` +
          `p99 ${beside!.p99.toFixed(2)} ms (${ratios.at(-1)!.toFixed(2)} ×)`,
      );
    }
    const ratio = median(ratios);
    const isGood = ratio <= RATIO_MAX;
    const other = complaint?.();
    console.log(
      `${says} the p99 of payments ${ratio.toFixed(2)} times as long: ` +
        `${isGood ? 'within' : 'more than'} ${RATIO_MAX}.${other ? ` ${other}` : ''}`,
    );
    process.exitCode = isGood && !other ? 0 : 1;
  } finally {
    await lab.close();
  }
}
