import 'reflect-metadata';
import { runCommand } from './database.js';
import { readCommandLine } from './flags.js';
import { withSecrets } from './secrets.js';
import { OPERATOR } from './usage.js';

async function main(): Promise<number> {
  const { values, positionals } = readCommandLine(
    OPERATOR.help,
    OPERATOR.options,
    OPERATOR.words,
    undefined,
    OPERATOR.wrong,
  );
  const [verb = '', email, ...more] = positionals;
  if (!['grant', 'revoke', 'list'].includes(verb)) return refuse('say grant, revoke or list');
  if ((verb === 'list') !== (email === undefined) || more.length > 0) {
    return refuse(verb === 'list' ? 'list takes no e-mail' : `${verb} takes one e-mail`);
  }
  return withSecrets(say, async (app) => {
    const { OperatorGrants } = await import('../src/contexts/operations/acts/grants.service.js');
    const grants = app.get(OperatorGrants, { strict: false });
    if (email !== undefined) {
      const problem = await grants.set(email, verb === 'grant', values.reason ?? 'by the command line');
      if (problem !== null) {
        say(problem);
        return 2;
      }
    }
    const operators = await grants.list();
    for (const { email: each, hasTwoFactor } of operators) {
      process.stdout.write(
        `${each}${hasTwoFactor ? '' : ' (no two-factor authentication: may do nothing)'}\n`,
      );
    }
    if (operators.length === 0) process.stdout.write('there are no operators\n');
    return 0;
  });
}

function refuse(line: string): number {
  say(`${line}; see --help`);
  return OPERATOR.wrong;
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

runCommand(main);
