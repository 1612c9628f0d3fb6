/** How a call is answered instead of as usual. */
export type ScriptedAnswer =
  | 'normal'
  /** Never; the connection stays open until the caller gives up. */
  | 'none'
  /** The connection breaks before the answer, or after half of its body. */
  | 'reset'
  | 'reset-mid-body'
  /** Half of the body, a pause of so many real milliseconds, the other half. */
  | { readonly slowBodyMs: number }
  /** Another answer; a string is sent as it stands. */
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: unknown };

/** What happens to calls that match. Of several rules the first that has uses left counts. */
export interface Rule {
  readonly method?: string;
  /** The path's beginning, without the API's prefix. */
  readonly path?: string;
  /** The reference in the path or in the body. */
  readonly reference?: string;
  /** The payee's account number. */
  readonly account?: string;
  /** Only the n-th matching call, from 1. */
  readonly nth?: number;
  /** How many calls it is for: 1 by default, 0 for all. */
  readonly times?: number;
  /** Whether the bank does what is asked: yes by default, no, or so many virtual ms later. */
  readonly accept?: boolean | { readonly afterMs: number };
  readonly answer?: ScriptedAnswer;
  /** Ends the payout and delivers its webhook before the answer. */
  readonly settleFirst?: boolean;
}

/** What a rule can match on. */
export interface Matchable {
  readonly method: string;
  readonly path: string;
  readonly reference: string | null;
  readonly bank: string | null;
  readonly account: string | null;
}

/** The rules given, and how often each has matched and been used. */
export class Script {
  #rules: { rule: Rule; matched: number; used: number }[] = [];

  add(rules: readonly Rule[]): void {
    this.#rules.push(...rules.map((rule) => ({ rule, matched: 0, used: 0 })));
  }

  clear(): void {
    this.#rules = [];
  }

  take(call: Matchable): Rule | null {
    for (const entry of this.#rules) {
      const { rule } = entry;
      if (!matches(rule, call)) continue;
      entry.matched += 1;
      if (rule.nth !== undefined && rule.nth !== entry.matched) continue;
      if (rule.times !== 0 && entry.used >= (rule.times ?? 1)) continue;
      entry.used += 1;
      return rule;
    }
    return call.path === '/transactions/disburse' ? magic(call) : null;
  }
}

function matches(rule: Rule, call: Matchable): boolean {
  return (
    (rule.method === undefined || rule.method === call.method) &&
    (rule.path === undefined || call.path.startsWith(rule.path)) &&
    (rule.reference === undefined || rule.reference === call.reference) &&
    (rule.account === undefined || rule.account === call.account)
  );
}

const DUPLICATE = {
  status: false,
  error: 'conflict',
  message: 'Duplicate Transaction Reference. Please use a unique reference',
  data: null,
};

/** The fake's own bank 999: the last digit of a payee's account chooses what goes wrong, with no control call. */
const MAGIC: Readonly<Record<string, Rule>> = {
  '1': { answer: 'none' },
  '2': { accept: false, answer: 'none' },
  '3': {
    answer: { status: 502, headers: { 'content-type': 'text/html' }, body: '<html>Bad Gateway</html>' },
  },
  '7': { settleFirst: true },
  '9': { answer: { status: 409, body: DUPLICATE } },
};

function magic({ bank, account }: Matchable): Rule | null {
  return bank === '999' && account ? (MAGIC[account.slice(-1)] ?? null) : null;
}
