/**
 * The flags of a command. Node strips the types of this file where commands run from their sources: erasable syntax
 * only, and no packages.
 */
import { parseArgs, type ParseArgsConfig } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;

/**
 * Reads `args`. `--help` prints `help` and ends the process; so does, with status `wrong` and one line, a flag or a word
 * that the command does not know. `wrong` is another one where 2 is an answer of the command.
 */
export function readFlags<O extends Options>(
  help: string,
  options: O,
  args: readonly string[] = process.argv.slice(2),
  wrong = 2,
) {
  return readCommandLine(help, options, [], args, wrong).values;
}

/** As {@link readFlags}, for a command that also takes words: those of `known`, or any when it is null. */
export function readCommandLine<O extends Options>(
  help: string,
  options: O,
  known: readonly string[] | null,
  args: readonly string[] = process.argv.slice(2),
  wrong = 2,
) {
  try {
    const all = { ...options, help: { type: 'boolean', short: 'h' } } as O & {
      help: { type: 'boolean'; short: 'h' };
    };
    const { values, positionals } = parseArgs({
      args: joined(args, all),
      options: all,
      allowPositionals: true,
    });
    if ((values as { help?: boolean }).help === true) {
      process.stdout.write(`${help.trim()}\n`);
      process.exit(0);
    }
    const unknown = positionals.find((word) => known?.includes(word) === false);
    if (unknown !== undefined) throw new Error(`Unknown word '${unknown}'`);
    return { values, positionals };
  } catch (error) {
    const [first = ''] = (error as Error).message.split(/\. |\n/);
    process.stderr.write(`${first.replace(/\.$/, '')}; see --help\n`);
    process.exit(wrong);
  }
}

/** `--flag -1` as `--flag=-1`: a number below 0 is a value, not a flag of its own; its bounds are checked as of any. */
function joined(args: readonly string[], options: Options): string[] {
  const all: string[] = [];
  for (const arg of args) {
    const flag = /^--(.+)$/.exec(all.at(-1) ?? '')?.[1];
    const isValue = /^-\d/.test(arg) && flag !== undefined && options[flag]?.type === 'string';
    if (isValue) all.push(`${all.pop()}=${arg}`);
    else all.push(arg);
  }
  return all;
}

/** A flag's whole number within bounds; ends the process with one line when it is another. */
export function wholeNumber(flag: string, text: string, min: number, max: number): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
  if (value >= min && value <= max) return value;
  process.stderr.write(`--${flag} must be a whole number from ${min} to ${max}; see --help\n`);
  process.exit(2);
}

/** A flag's number, fractions included, within bounds; ends the process with one line when it is another. */
export function decimalNumber(flag: string, text: string, min: number, max: number): number {
  const value = /^\d{1,9}(\.\d{1,9})?$/.test(text) ? Number(text) : NaN;
  if (value >= min && value <= max) return value;
  process.stderr.write(`--${flag} must be a number from ${min} to ${max}; see --help\n`);
  process.exit(2);
}
