import type { ActName, OperatorCase, Payout, TransferStatus } from '../../api/operator.js';
import type { Tone } from '../../look/tone.js';
import { plainNaira } from '../../money/money.js';
import { pluralize } from '../../text/pluralize.js';
import { asSentence } from '../../text/words.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Time since then: `5 min`, `3 h`, `2 days`. */
export function age(iso: string, now = Date.now()): string {
  const ms = Math.max(0, now - new Date(iso).getTime());
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  if (ms < 2 * DAY_MS) return `${Math.floor(ms / HOUR_MS)} h`;
  return pluralize(Math.floor(ms / DAY_MS), 'day');
}

interface Kind {
  readonly name: string;
  readonly toDo: string;
}

/** As docs/bank.md has them. */
const KINDS: Readonly<Record<string, Kind>> = {
  'payout-stuck': {
    name: 'Payout stuck',
    toDo: 'Ask the bank. When it answers by phone or email, record its answer.',
  },
  'payout-without-float': {
    name: 'Payout refunded: our float is too small',
    toDo: 'Put money into our account at the bank, then close the case.',
  },
  'payout-request-invalid': {
    name: 'Payout refunded: the bank rejects the request',
    toDo: 'Find out what it rejects: this is a bug of the service.',
  },
  'payout-undone-after-success': {
    name: 'Payout sent back after it was paid',
    toDo: 'Ask the bank for the money, then refund the wallet.',
  },
  'payout-succeeded-after-refund': {
    name: 'Payout paid after its refund',
    toDo: 'Claim it back from the bank, or from the wallet’s owner.',
  },
  'payout-under-way-after-refund': {
    name: 'Payout still in progress after its refund',
    toDo: 'Ask the bank to stop it.',
  },
  'payout-unknown-to-bank': {
    name: 'Paid payout unknown to the bank',
    toDo: 'Ask the bank.',
  },
  'payout-amount-differs': { name: 'The bank paid another amount', toDo: 'Ask the bank.' },
  'refund-held': {
    name: 'Refund held: the balance would be too large',
    toDo: 'Ask the owner to withdraw money. The refund follows within an hour.',
  },
  'bank-access-denied': {
    name: 'The bank rejects our key or IP address',
    toDo: 'Renew the key, or have our IP address allowed.',
  },
  'account-issued-twice': {
    name: 'Account number issued twice',
    toDo: 'Have the bank close one of the two.',
  },
  'transfer-conflict': {
    name: 'Conflicting transfers with one reference',
    toDo: 'Compare with the bank’s statement. Mark what was sent back as returned.',
  },
  'transfer-held': {
    name: 'Inbound transfer held',
    toDo: 'If the money arrived, credit it to the wallet. If it was sent back, mark it as returned.',
  },
  'transfer-unmatched': {
    name: 'Transfer that matches no wallet',
    toDo: 'Find its owner and credit that wallet, or send it back and mark it as returned.',
  },
  'transfer-unreadable': {
    name: 'Bank record that can’t be read',
    toDo: 'Look it up at the bank, and have the bank resend its webhook.',
  },
  'topup-unknown-to-bank': {
    name: 'Credit unknown to the bank',
    toDo: 'Find out who sent the webhook. Suspend the wallet meanwhile.',
  },
  'credit-to-closed-wallet': {
    name: 'Money for a closed wallet',
    toDo: 'Nothing; its owner can withdraw it. Close the case.',
  },
  'hold-mismatch': {
    name: 'Held amount differs from the payments awaiting approval',
    toDo: 'Find out what else wrote to the database.',
  },
  'invariant-broken': {
    name: 'The books don’t agree',
    toDo: 'Suspend the wallet, take a backup, and follow the runbook.',
  },
  'statement-mismatch': {
    name: 'A month does not add up',
    toDo: 'Compare the ledger of the wallet with its balance, and follow the runbook.',
  },
  'secrets-unreadable': {
    name: 'Stored secrets can’t be opened',
    toDo: 'Add the previous secret to the settings.',
  },
};

export function caseKind({ kind }: Pick<OperatorCase, 'kind'>): Kind {
  return KINDS[kind] ?? { name: asSentence(kind.replaceAll('-', ' ')), toDo: 'See docs/bank.md.' };
}

/** Description of a case, with its amounts in naira. */
export function known({ description }: Pick<OperatorCase, 'description'>): string {
  const told = description
    .replace(/\b(\d+) kobo\b/g, (_, kobo: string) => plainNaira(Number(kobo)))
    .replaceAll('.;', ';');
  return asSentence(told);
}

interface ActInWords {
  /** On its button. */
  readonly name: string;
  /** In a record: `Bisi …`. */
  readonly done: string;
  readonly explained: string;
  readonly isSevere?: boolean;
}

export const ACTS: Readonly<Record<ActName, ActInWords>> = {
  'transfer.credit': {
    name: 'Credit to a wallet',
    done: 'credited it to a wallet',
    explained:
      'The wallet gets a top-up that names the case. Later webhooks of this transfer credit nothing.',
  },
  'transfer.return': {
    name: 'Mark returned',
    done: 'marked it as returned',
    explained: 'The bank sent the money back. Later deliveries of this reference credit nothing.',
  },
  'payout.outcome': {
    name: 'Record the bank’s answer',
    done: 'recorded the bank’s answer',
    explained: 'Ends the payout as the bank told you. Failed: the wallet is refunded at once.',
  },
  'payout.refund': {
    name: 'Refund the wallet',
    done: 'refunded it',
    explained: 'The wallet gets the amount back, once, by a refund that names the case.',
  },
  'job.retry': {
    name: 'Retry',
    done: 'retried the job',
    explained: 'The job runs again now, with all its attempts.',
  },
  'job.drop': {
    name: 'Drop',
    done: 'dropped the job',
    explained: 'The job never runs again: its work stays undone.',
    isSevere: true,
  },
  'user.suspend': {
    name: 'Suspend user',
    done: 'suspended the user',
    explained: 'Ends all sessions and refuses sign-ins. The wallets of an owner are suspended too.',
    isSevere: true,
  },
  'user.resume': {
    name: 'Restore sign-in',
    done: 'restored the user’s sign-in',
    explained: 'The user can sign in again. Wallets stay suspended until their owner resumes them.',
  },
  'wallet.suspend': {
    name: 'Suspend wallet',
    done: 'suspended the wallet',
    explained: 'No money leaves the wallet, and its owner can’t resume it.',
    isSevere: true,
  },
  'wallet.resume': {
    name: 'Release wallet',
    done: 'released the wallet',
    explained: 'The wallet stays suspended until its owner resumes it.',
  },
  'case.note': { name: 'Add a note', done: 'noted', explained: 'Stays with the case permanently.' },
  'case.close': {
    name: 'Close case',
    done: 'closed the case',
    explained: 'The case is resolved. It opens again if the same problem is found again.',
  },
};

const GRANTS: Readonly<Record<string, string>> = {
  'operator.grant': 'made the user an operator',
  'operator.revoke': 'removed the operator’s rights',
};

/** Act of a record, which may be older or newer than this page. */
export const doneInWords = (act: string): string =>
  (ACTS as Record<string, ActInWords | undefined>)[act]?.done ?? GRANTS[act] ?? act;

interface Tagged {
  readonly name: string;
  readonly tone: Tone;
}

export const TRANSFERS: Readonly<Record<TransferStatus, Tagged>> = {
  unmatched: { name: 'Unmatched', tone: 'wait' },
  held: { name: 'Held', tone: 'wait' },
  conflict: { name: 'Conflicting', tone: 'bad' },
};

export function payoutTag({ status, isRefunded }: Pick<Payout, 'status' | 'isRefunded'>): Tagged {
  if (status === 'reversed') {
    return isRefunded ? { name: 'Sent back, refunded', tone: 'calm' } : { name: 'Sent back', tone: 'bad' };
  }
  if (status === 'succeeded') return { name: 'Paid', tone: 'good' };
  return status === 'failed' ? { name: 'Failed, refunded', tone: 'bad' } : { name: 'Open', tone: 'info' };
}

const STEPS: Readonly<Record<string, string>> = {
  'settlement.started': 'Approved, and handed over for payout',
  'settlement.succeeded': 'The bank paid',
  'settlement.failed': 'The bank did not pay, or took it back',
  'refund.posted': 'The wallet was refunded',
};

export const stepInWords = (type: string): string => STEPS[type] ?? type;

const BANK_SAYS: Readonly<Record<string, string>> = {
  succeeded: 'it is paid',
  failed: 'it failed',
  reversed: 'it was sent back',
  accepted: 'it is under way',
  'not-found': 'it knows no such payout',
  unknown: 'nothing certain',
};

export const bankSays = (kind: string): string => BANK_SAYS[kind] ?? kind;
