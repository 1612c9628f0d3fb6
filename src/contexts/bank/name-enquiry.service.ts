import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import { AppError } from '../../kernel/errors.js';
import { growingTo } from '../../kernel/growing-to.js';
import { Bank } from './bank.port.js';
import { type BankAccount, NameEnquiry, type ResolvedName, type Standing } from './name-enquiry.port.js';

const REMEMBERED_MAX = 50_000;
const KNOWN_KEPT_MS = 24 * 60 * 60_000;
const UNKNOWN_KEPT_MS = 60_000;
const ENQUIRIES_AT_ONCE = 16;
const ENQUIRIES_WAITING_MAX = 1_000;
const DEADLINE_MS = 10_000;

@Injectable()
export class BankNameEnquiry extends NameEnquiry {
  private readonly answers = new LRUCache<string, Standing>({
    ...growingTo(REMEMBERED_MAX),
    ttl: KNOWN_KEPT_MS,
  });
  private readonly asking = new Map<string, Promise<Standing>>();
  private readonly slots = pLimit(ENQUIRIES_AT_ONCE);

  constructor(private readonly bank: Bank) {
    super();
  }

  cached(account: BankAccount): Standing | undefined {
    // Shortcut: most services verify no recipients.
    return this.answers.size > 0 ? this.answers.get(keyOf(account)) : undefined;
  }

  async verify(account: BankAccount, msMax: number = DEADLINE_MS): Promise<Standing> {
    const answer = this.askOnce(account);
    return msMax < DEADLINE_MS ? within(msMax, answer) : answer;
  }

  resolve({ accountNumber, bankCode }: BankAccount): Promise<ResolvedName> {
    return this.bank.resolveAccount({ accountNumber, bankCode });
  }

  private askOnce(account: BankAccount): Promise<Standing> {
    const key = keyOf(account);
    const answered = this.answers.get(key);
    if (answered) return Promise.resolve(answered);
    const under = this.asking.get(key);
    if (under) return under;
    if (this.slots.pendingCount >= ENQUIRIES_WAITING_MAX) {
      throw new AppError('OVERLOADED', 'Too many recipients are being verified. Nothing was carried out.', {
        retryAfterSeconds: 1,
      });
    }
    const answer = this.slots(() => this.enquire(account)).finally(() => this.asking.delete(key));
    this.asking.set(key, answer);
    return answer;
  }

  private async enquire(account: BankAccount): Promise<Standing> {
    const { kind } = await within(DEADLINE_MS, this.resolve(account));
    if (kind === 'unknown') throw unavailable();
    const standing = kind === 'resolved' ? 'known' : 'unknown';
    this.answers.set(keyOf(account), standing, {
      ttl: standing === 'known' ? KNOWN_KEPT_MS : UNKNOWN_KEPT_MS,
    });
    return standing;
  }
}

function keyOf({ accountNumber, bankCode }: BankAccount): string {
  return `${bankCode}/${accountNumber}`;
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
