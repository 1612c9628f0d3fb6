import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import { Bank } from '../../bank/bank.port.js';
import { AppError } from '../../../kernel/errors.js';
import { growingTo } from '../../../kernel/growing-to.js';

interface Recipient {
  readonly recipientAccountNo: string;
  readonly recipientBankCode: string;
}
type Standing = 'known' | 'unknown';

const REMEMBERED_MAX = 50_000;
/** Known accounts may close; unknown ones may open any moment. */
const KNOWN_MS = 24 * 60 * 60_000;
const UNKNOWN_MS = 60_000;
const ENQUIRIES_AT_ONCE = 16;
const ENQUIRIES_WAITING_MAX = 1_000;
const DEADLINE_MS = 10_000;

/** Verifies recipients' accounts: asks once per account and caches the answer for a day. */
@Injectable()
export class Recipients {
  private readonly remembered = new LRUCache<string, Standing>({
    ...growingTo(REMEMBERED_MAX),
    ttl: KNOWN_MS,
  });
  private readonly asking = new Map<string, Promise<Standing>>();
  private readonly slots = pLimit(ENQUIRIES_AT_ONCE);

  constructor(private readonly bank: Bank) {}

  /** Cached answer; undefined: the bank must be asked. */
  known(recipient: Recipient): Standing | undefined {
    // Shortcut: most services verify no recipients.
    return this.remembered.size > 0 ? this.remembered.get(nameOf(recipient)) : undefined;
  }

  /**
   * Asks the bank; concurrent requests for one account share an answer. Throws `BANK_UNAVAILABLE` on timeout,
   * `OVERLOADED` if too many wait.
   */
  async ask(recipient: Recipient, msMax: number = DEADLINE_MS): Promise<Standing> {
    const answer = this.askOnce(recipient);
    return msMax < DEADLINE_MS ? within(msMax, answer) : answer;
  }

  private askOnce(recipient: Recipient): Promise<Standing> {
    const name = nameOf(recipient);
    const answered = this.remembered.get(name);
    if (answered) return Promise.resolve(answered);
    const under = this.asking.get(name);
    if (under) return under;
    if (this.slots.pendingCount >= ENQUIRIES_WAITING_MAX) {
      throw new AppError('OVERLOADED', 'Too many recipients are being verified. Nothing was carried out.', {
        retryAfterSeconds: 1,
      });
    }
    const answer = this.slots(() => this.enquire(recipient)).finally(() => this.asking.delete(name));
    this.asking.set(name, answer);
    return answer;
  }

  private async enquire(recipient: Recipient): Promise<Standing> {
    const { recipientAccountNo: accountNumber, recipientBankCode: bankCode } = recipient;
    const { kind } = await within(DEADLINE_MS, this.bank.resolveAccount({ accountNumber, bankCode }));
    if (kind === 'unknown') throw unavailable();
    const standing = kind === 'resolved' ? 'known' : 'unknown';
    this.remembered.set(nameOf(recipient), standing, { ttl: standing === 'known' ? KNOWN_MS : UNKNOWN_MS });
    return standing;
  }
}

function nameOf({ recipientAccountNo, recipientBankCode }: Recipient): string {
  return `${recipientBankCode}/${recipientAccountNo}`;
}

function unavailable(): AppError {
  return new AppError(
    'BANK_UNAVAILABLE',
    'The bank did not say whether it knows the account of the recipient. Nothing was decided; try again shortly.',
    { retryAfterSeconds: 5 },
  );
}

/** Throws `BANK_UNAVAILABLE` if the answer fails or is late. */
async function within<Answer>(ms: number, answer: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable()), ms);
  });
  try {
    return await Promise.race([answer, late]);
  } catch {
    throw unavailable();
  } finally {
    clearTimeout(timer);
  }
}
