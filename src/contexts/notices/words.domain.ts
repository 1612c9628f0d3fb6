import { BRAND } from '../../kernel/brand.js';
import { naira } from '../../kernel/money.js';
import { TIME_ZONE_DEFAULT } from '../../kernel/time.js';
import { bankNameOf } from '../bank/bank-names.port.js';
import type { NoticeKind, NoticeParts } from './notices.domain.js';

export interface Subject {
  readonly kind: NoticeKind;
  readonly walletId: string | null;
  readonly subjectId: string | null;
  readonly parts: NoticeParts;
}

export interface Words {
  readonly title: string;
  readonly text: string;
  readonly facts: readonly (readonly [label: string, value: string])[];
  /** In the dashboard. */
  readonly path: string;
  readonly action: string;
}

type Clock = (at: string | undefined) => string;

let last: { readonly timeZone: string; readonly clock: Clock } | undefined;

function clockOf(timeZone: string): Clock {
  if (last?.timeZone !== timeZone) last = { timeZone, clock: newClock(timeZone) };
  return last.clock;
}

function newClock(timeZone: string): Clock {
  const moment = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    // Nameless in en-GB.
    ...(timeZone !== TIME_ZONE_DEFAULT && { timeZoneName: 'short' as const }),
  });
  const name = timeZone === TIME_ZONE_DEFAULT ? ' WAT' : '';
  return (at) => (at === undefined ? '' : moment.format(new Date(at)) + name);
}

const money = (amount: number | undefined): string => naira(amount ?? 0);

export function wordsOf({ kind, walletId, subjectId, parts }: Subject, timeZone: string): Words {
  const clock = clockOf(timeZone);
  const { title, text, path, action } = SAYINGS[kind](parts, { walletId, subjectId }, clock);
  return { title, text, path, action, facts: factsOf(kind, parts, clock) };
}

type Saying = (
  parts: NoticeParts,
  ids: { readonly walletId: string | null; readonly subjectId: string | null },
  clock: Clock,
) => Omit<Words, 'facts'>;

const approvalPath = (id: string | null) => `/approvals?id=${id}`;
const paymentPath = (id: string | null, walletId: string | null) =>
  `/payments?transaction=${id}&of=${walletId}`;

const SAYINGS: Readonly<Record<NoticeKind, Saying>> = {
  'approval.requested': ({ amount, merchantName, limit }, { subjectId }) => ({
    title: `Approve ${money(amount)} to ${merchantName}?`,
    text:
      limit === undefined
        ? 'This payment waits for your decision.'
        : `Payments above ${money(limit)} wait for your decision.`,
    path: approvalPath(subjectId),
    action: 'Open this approval',
  }),
  'approval.expiring': ({ amount, merchantName, expiresAt }, { subjectId }, clock) => ({
    title: `${money(amount)} to ${merchantName} expires within an hour`,
    text: `Nobody has decided yet. From ${clock(expiresAt)} it can no longer be approved.`,
    path: approvalPath(subjectId),
    action: 'Open this approval',
  }),
  'approval.decided': ({ amount, merchantName, outcome, by }, { walletId, subjectId }) => ({
    title: `${money(amount)} to ${merchantName} ${outcome === 'expired' ? 'expired' : `was ${outcome}`}`,
    text:
      outcome === 'expired' ? 'Nobody decided in time: nothing was paid.' : `Decided by ${by ?? 'a member'}.`,
    path: paymentPath(subjectId, walletId),
    action: 'Open the payment',
  }),
  'payment.failed': ({ amount, merchantName, reason, walletName }, { walletId, subjectId }) => ({
    title: `${money(amount)} ${merchantName === undefined ? 'of a withdrawal' : `to ${merchantName}`} was not paid out`,
    text: `The bank refused: ${reason} The money is back in ${walletName}.`,
    path: merchantName === undefined ? `/wallets/${walletId}` : paymentPath(subjectId, walletId),
    action: merchantName === undefined ? 'Open the wallet' : 'Open the payment',
  }),
  'payment.returned': ({ amount, merchantName, reason }, { walletId, subjectId }) => ({
    title: `The bank sent back ${money(amount)}${merchantName === undefined ? '' : ` to ${merchantName}`}`,
    text: `${reason} Our operators resolve it; the balance has not changed.`,
    path: merchantName === undefined ? `/wallets/${walletId}` : paymentPath(subjectId, walletId),
    action: merchantName === undefined ? 'Open the wallet' : 'Open the payment',
  }),
  'payments.blocked': ({ count, walletName }, { walletId }) => ({
    title: `${count} payments of ${walletName} were blocked`,
    text: 'They came within 15 minutes. If this is not your agent, freeze the wallet or revoke its key.',
    path: `/payments?wallet=${walletId}&status=blocked`,
    action: 'See them',
  }),
  'wallet.limit_warning': ({ percent, walletName, keyName, amount, limit }, { walletId }) => ({
    title: `${keyName === undefined ? walletName : `The key ${keyName}`} has used ${percent} % of its limit`,
    text:
      percent === 100
        ? `All of ${money(limit)} is spent: further payments are blocked.`
        : `${money(amount)} of ${money(limit)} is spent.`,
    path: keyName === undefined ? `/wallets/${walletId}` : `/wallets/${walletId}?tab=keys`,
    action: 'Open the wallet',
  }),
  'wallet.low_balance': ({ walletName, amount, limit }, { walletId }) => ({
    title: `${walletName} is low: ${money(amount)}`,
    text: `Its balance fell below ${money(limit)}.`,
    path: `/wallets/${walletId}?fund=open`,
    action: 'Fund the wallet',
  }),
  'session.started': ({ device, address }) => ({
    title: 'New sign-in to your account',
    text: `From ${device ?? 'an unknown device'} at ${address ?? 'an unknown address'}. If this was not you, change your password.`,
    path: '/settings',
    action: 'See your sessions',
  }),
  'key.created': ({ keyName, walletName }, { walletId }) => ({
    title: `New API key for ${walletName}`,
    text: `The key ${keyName} can pay from this wallet. If you do not know it, revoke it.`,
    path: `/wallets/${walletId}?tab=keys`,
    action: 'See the keys',
  }),
  'payee.added': ({ merchantName, walletName }, { walletId }) => ({
    title: `New payee of ${walletName}: ${merchantName}`,
    text: 'Payments to this account pass the payee check from now on.',
    path: `/wallets/${walletId}?tab=payees`,
    action: 'See the payees',
  }),
  'webhook_endpoint.disabled': ({ host, reason, since }, { subjectId }, clock) => ({
    title: since === undefined ? 'A webhook endpoint was paused' : `The webhook endpoint at ${host} fails`,
    text:
      since === undefined
        ? `${BRAND} sends nothing more to your webhook endpoint at ${host}: ${reason}. ` +
          'What happens from now on is not sent to it later. Resume it once it works again.'
        : `No delivery has arrived since ${clock(since)}. Each is tried again; ` +
          'an endpoint that fails for five days is paused.',
    path: `/webhooks/${subjectId}`,
    action: 'Open the endpoint',
  }),
};

function factsOf(kind: NoticeKind, parts: NoticeParts, clock: Clock): [string, string][] {
  const { merchantName, amount, bankCode = null, accountNumber, accountName, walletName, keyName } = parts;
  const { purpose, expiresAt, at, reason } = parts;
  const bank = bankNameOf(bankCode) ?? `bank ${bankCode}`;
  const facts: [string, string | undefined][] = [
    ['To', merchantName],
    ['Amount', amount === undefined || kind.startsWith('wallet.') ? undefined : money(amount)],
    ['Account', accountNumber === undefined ? undefined : `${accountNumber} at ${bank}`],
    ['Account holder', accountName],
    ['Reason', kind.startsWith('approval.') ? reason : undefined],
    ['Wallet', walletName],
    ['Key', keyName],
    ['Purpose', purpose],
    ['Expires', expiresAt === undefined ? undefined : clock(expiresAt)],
    ['When', at === undefined ? undefined : clock(at)],
  ];
  return facts.filter((fact): fact is [string, string] => fact[1] !== undefined);
}
