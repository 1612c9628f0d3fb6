/**
 * How the demo sends requests, prints them, counts what it checks and says how it went. Node strips the types of this
 * file: erasable syntax only, and no packages.
 */

export type Body = Record<string, unknown>;
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const isColoured = process.stdout.isTTY && !process.env.NO_COLOR;
const paint = (code: number) => (text: string) => (isColoured ? `\u001b[${code}m${text}\u001b[0m` : text);
const [bold, red, green] = [paint(1), paint(31), paint(32)];
export const [dim, yellow] = [paint(2), paint(33)];
export const say = (line = ''): void => void process.stdout.write(`${line}\n`);

let passed = 0;
const failures: string[] = [];

/** Notes and prints whether something is as specified. */
export function check(what: string, holds: boolean): void {
  if (holds) passed += 1;
  else failures.push(what);
  say(`  ${holds ? green('✓') : red('✗')} ${what}`);
}

export function chapter(title: string): void {
  say(`\n${bold(title)}`);
}

class Unreachable extends Error {}

/** Sends a request to the service at `base`, and prints it with its answer. */
export async function sendTo(
  base: string,
  method: 'GET' | 'POST',
  path: string,
  { body, headers = {} }: { body?: Body; headers?: Record<string, string> } = {},
): Promise<Answer> {
  say(`\n  ${bold(`${method} ${path}`)}${body ? ` ${dim(shown(body))}` : ''}`);
  const response = await fetch(base + path, {
    method,
    headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  }).catch((error: unknown) => {
    const { cause, message } = error as Error;
    throw new Unreachable(cause instanceof Error ? cause.message || cause.name : message);
  });
  const text = await response.text();
  let parsed: unknown = text;
  try {
    parsed = JSON.parse(text);
  } catch {
    // Shown as it is.
  }
  say(`  ${dim('→')} ${response.status} ${dim(shown(parsed))}`);
  return { status: response.status, body: parsed };
}

/** One line that a person can read: tokens and keys cut, long lists counted. */
function shown(value: unknown): string {
  const text = JSON.stringify(
    value,
    (name, part: unknown) => {
      if (name === 'token' || name === 'fullKey') return `${String(part).slice(0, 16)}…`;
      if (name === 'password') return '…';
      return part;
    },
    1,
  )
    .replace(/\n\s*/g, ' ')
    .replace(/([{[]) /g, '$1')
    .replace(/ ([}\]])/g, '$1');
  return text.length > 600 ? `${text.slice(0, 600)}… (${text.length} characters)` : text;
}

/** What stands at a dotted path, e.g. `data.wallet.id`. */
export function at(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((part, key) => (part as Record<string, unknown> | null | undefined)?.[key], value);
}

/** The list at a dotted path; an empty one where there is none. */
export const list = (value: unknown, path: string): Body[] => {
  const found = path ? at(value, path) : value;
  return Array.isArray(found) ? (found as Body[]) : [];
};

export const naira = (kobo: unknown): string =>
  `₦${(Number(kobo) / 100).toLocaleString('en-NG', { minimumFractionDigits: 2 })}`;

/** Plays the story and says how it went; answers the exit code. */
export async function tell(base: string, play: () => Promise<void>): Promise<number> {
  say(`The story of one wallet, against ${base}`);
  try {
    await play();
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    say(
      red(`\n  ✗ ${base} does not answer (${error.message}).`) +
        `\n    Start the service in another terminal: npm start` +
        `\n    If it listens elsewhere: npm run demo -- --url http://127.0.0.1:<port>`,
    );
    return 2;
  }
  say(
    failures.length === 0
      ? green(`\n✓ All ${passed} expectations of the specification hold.`)
      : red(
          `\n✗ ${failures.length} of ${passed + failures.length} expectations do not hold:\n  ${failures.join('\n  ')}`,
        ),
  );
  return failures.length === 0 ? 0 : 1;
}
