import { expect } from '@jest/globals';
import { expectStatus, type PaymentAnswer, type Answer } from '../support/service.js';
import type { NaiveKey } from './keys.js';
import { carryOutOwnersStep } from './owner.js';
import { BANK, type Step } from './steps.js';
import type { Attempt } from './wallet.js';
import type { World } from './world.js';

/** Out of so many, this many payments are made with a key that lives, where there is one. */
const KEY_CHOICES = 8;

/** Does a step in the service and in the model: both must answer the same. */
export async function carryOut(step: Step, world: World): Promise<void> {
  const { service, wallet, model } = world;
  if (step.do === 'pay') await pay(step, world);
  else if (step.do === 'decide') await decide(step, world);
  else if (step.do === 'wait') await world.pass(step.ms);
  else if (step.do === 'top up') {
    await service.topUp(wallet.id, step.amount);
    model.ledger.credit(step.amount);
  } else await carryOutOwnersStep(step, world);
}

interface Details {
  readonly keyLimit?: string;
  readonly duplicateOf?: string;
  readonly payeePolicy?: string;
}
type Paid = Answer<PaymentAnswer & { readonly details?: Details }>;

const outcomeOf = ({ status, body: { code, details } }: Paid): string => {
  if (status === 201) return 'approved';
  if (status === 202) return 'waits';
  if (code === 'KEY_LIMIT_EXCEEDED') return `${code} ${details?.keyLimit}`;
  // Two rules have this code: one on the account of a merchant, one on what its bank knows.
  return code === 'PAYEE_NOT_ALLOWED' && !details?.payeePolicy ? `${code} unknown account` : code;
};

/** At once: what is decided in one transaction must be decided as if one after the other. */
async function pay(step: Step & { do: 'pay' }, world: World): Promise<void> {
  const { payments, merchant, nthKey, guardMinutes } = step;
  const { service, model } = world;
  const key = chosenKey(nthKey, world);
  const wishes = payments.map(({ amount, to, confirms }) => {
    const last = confirms ? model.lastLike({ key, amount, account: to }) : undefined;
    return { amount, merchant, account: to, confirms: last?.id ?? null, guardMinutes };
  });
  const bodies = wishes.map(({ amount, account, confirms }) => ({
    amount,
    // The name as an agent may spell it.
    merchantName: merchant === 'acme' ? 'Acme' : ' OTHER',
    recipientAccountNo: account,
    recipientBankCode: BANK,
    ...(confirms !== null && { confirmSecondPurchase: confirms }),
  }));
  const headers: Record<string, string> =
    guardMinutes === null ? {} : { 'duplicate-guard-minutes': `${guardMinutes}` };
  const quoted = bodies.length === 1 ? await quote(key, bodies[0]!, headers, world) : null;
  const answers: readonly Paid[] = await world.holdBank(
    Promise.all(bodies.map((body) => service.pay(key.secret, body, headers))),
  );
  const heldBefore = model.held;
  const made = wishes.map((wish) => ({
    wish,
    outcome: model.pay(key, wish),
    attempt: model.attempts.at(-1),
  }));
  expect(answers.map(outcomeOf)).toEqual(made.map(({ outcome }) => outcome));
  // Alone, it is decided as it was just foretold.
  if (quoted !== null) expect(quoted).toBe(made[0]?.outcome.split(' ')[0]);
  for (const [i, { wish, outcome, attempt }] of made.entries()) {
    world.coverage.note(outcome);
    if (outcome === 'INVALID_API_KEY' || !attempt) continue;
    const { status, body } = answers[i]!;
    attempt.id = status < 300 ? body.data.transaction.id : body.transactionId;
    // Nothing else than the request itself asks for the guard.
    const asks = guardMinutes !== null && model.settings.duplicateGuardMinutes == null;
    if (wish.confirms !== null && attempt.counts) {
      world.coverage.note(`second purchase confirmed${asks ? ' by a request that asked' : ''}`);
    }
    if (outcome === 'POSSIBLE_DUPLICATE' && asks) {
      world.coverage.note('POSSIBLE_DUPLICATE because the request asked');
    }
    if (outcome === 'waits' && key.isLimited) world.coverage.note('waits, with a limited key');
    if (outcome === 'COOLING_OFF' && heldBefore > 0) world.coverage.note('COOLING_OFF while something waits');
    if (outcome === 'POSSIBLE_DUPLICATE') expectFirst(body.details?.duplicateOf, attempt, world);
  }
  await world.settle();
}

async function quote(
  { secret }: NaiveKey,
  body: object,
  headers: Record<string, string>,
  { service }: World,
): Promise<string> {
  type Quote = { readonly decision: string; readonly blockReason: string | null };
  const { body: answer } = await service.post<{ data?: Quote; code: string }>('/api/payment-intent/quote', {
    key: secret,
    body,
    headers,
  });
  if (!answer.data) return answer.code;
  const { decision, blockReason } = answer.data;
  return blockReason ?? (decision === 'pending' ? 'waits' : decision);
}

/** The service names the payment that the model knows as the first one. */
function expectFirst(named: string | undefined, refused: Attempt, { model, coverage }: World): void {
  const first = model.attempts.find(({ id }) => id === named);
  expect(first).toBeDefined();
  const last = model.attempts
    .slice(0, model.attempts.indexOf(refused))
    .findLast(
      (each) =>
        each.counts &&
        each.isGuarded &&
        each.key === refused.key &&
        each.amount === refused.amount &&
        each.account === refused.account,
    );
  expect(named).toBe(last?.id);
  if (first?.waits) coverage.note('POSSIBLE_DUPLICATE of what waits');
}

function chosenKey(nth: number, { model }: World): NaiveKey {
  const live = model.keys.filter((key) => key.isLive(model.nowMs));
  const among = nth % KEY_CHOICES > 0 && live.length > 0 ? live : model.keys;
  // The newest first: a key that was just made is to be used.
  return among.at(-1 - (Math.trunc(nth / KEY_CHOICES) % among.length))!;
}

/** The owner says a word on what waits, if anything does. */
async function decide({ nth, word }: Step & { do: 'decide' }, world: World): Promise<void> {
  const { service, wallet, model } = world;
  const { waiting } = model;
  const attempt = waiting[nth % (waiting.length || 1)];
  if (!attempt) return;
  const { status, body } = await service.post<{
    data: { approval: { status: string } };
    error: { code: string };
  }>(`/v1/approvals/${attempt.id}/${word}`, { token: wallet.owner.token, body: {} });
  const outcome = model.decide(attempt, word);
  expect(status === 200 ? body.data.approval.status : body.error.code).toBe(outcome);
  world.coverage.note(`${word}: ${outcome}`);
  if (attempt.key.isLimited) world.coverage.note(`${word}: ${outcome}, of a limited key`);
  // What was said is final, and saying it again moves nothing.
  if (status === 200) {
    const again = await service.post(`/v1/approvals/${attempt.id}/${word}`, {
      token: wallet.owner.token,
      body: {},
    });
    expectStatus(200, again);
  }
  await world.settle();
}
