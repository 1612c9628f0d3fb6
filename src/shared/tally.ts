/** How many there are of something, and what they come to. A sum may be past what a number holds exactly. */
export class Tally {
  count = 0;
  kobo = 0n;

  add(amount: number): void {
    this.count += 1;
    this.kobo += BigInt(amount);
  }

  /** `{count, kobo}`; a sum that JSON can't carry exactly as a number is text. */
  toJSON(): { count: number; kobo: number | string } {
    const exact = Number(this.kobo);
    return { count: this.count, kobo: Number.isSafeInteger(exact) ? exact : String(this.kobo) };
  }
}

/** Something that the books of the bank and ours do not agree on. */
export interface Finding {
  readonly what: string;
  readonly reference: string;
  readonly walletId: string;
}

const FINDINGS_MAX = 1_000;

/** The first {@link FINDINGS_MAX} findings; each has its case, so that nothing is lost with the rest. */
export class Findings {
  readonly list: Finding[] = [];

  add(what: string, reference: string, walletId: string): void {
    if (this.list.length < FINDINGS_MAX) this.list.push({ what, reference, walletId });
  }
}

/** From `from` up to, but without, `to`. */
export interface TimeRange {
  readonly from: Date;
  readonly to: Date;
}

/** Where a run in several steps goes on, how long this step may take, and who is told of its progress. */
export interface Step {
  readonly after?: string | null;
  readonly msMax?: number;
  readonly report?: (done: number, inAll: number) => void;
}
