import 'reflect-metadata';
import { runCommand } from './database.js';
import { readFlags } from './flags.js';
import { withSecrets } from './secrets.js';
import { RECEIPT_KEYS } from './usage.js';

async function main(): Promise<number> {
  const { rotate, revoke, reason } = readFlags(RECEIPT_KEYS.help, RECEIPT_KEYS.options);
  if (rotate && revoke !== undefined) return refuse('--rotate and --revoke: one of them');
  if ((revoke === undefined) !== (reason === undefined) || reason?.trim() === '')
    return refuse("--revoke needs a --reason, such as --reason 'the database was copied'");
  return withSecrets(say, async (app) => {
    const { ReceiptKeys } = await import('../src/contexts/receipts/receipt-keys.service.js');
    const keys = app.get(ReceiptKeys, { strict: false });
    if (rotate) await keys.rotate();
    if (revoke !== undefined && reason !== undefined && !(await keys.revoke(revoke, reason.trim())))
      return refuse(`there is no key ${revoke} that is not revoked yet`);
    for (const { kid, createdAt, retiredAt, revokedAt, revokedReason } of await keys.all()) {
      const until = retiredAt ? `until ${retiredAt.toISOString()}` : 'and signs';
      const revoked = revokedAt ? `, revoked ${revokedAt.toISOString()}: ${revokedReason}` : '';
      process.stdout.write(`${kid} from ${createdAt.toISOString()} ${until}${revoked}\n`);
    }
    return 0;
  });
}

function refuse(line: string): number {
  say(`${line}; see --help`);
  return 2;
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

runCommand(main);
