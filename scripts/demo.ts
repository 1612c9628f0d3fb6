import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type Answer,
  at,
  type Body,
  chapter,
  check,
  dim,
  list,
  naira,
  say,
  sendTo,
  tell,
  yellow,
} from './demo-tools.ts';
import { readFlags } from './flags.ts';

const HELP = `
Plays the whole story against a running service and checks every answer against the specification.

  npm run demo                                  the service on this machine, at PORT (3000)
  npm run demo -- --url http://127.0.0.1:8080   another one

  --url <address>   the service; also BASE_URL
  --help            this text

WEBHOOK_SECRET: the secret the service was started with, when it has one; the transfer is then signed with it.
Exit code 0: everything is as specified. 1: something is not. 2: the service is not reachable.
`;

const flags = readFlags(HELP, { url: { type: 'string' } });
const { BASE_URL, PORT } = process.env;
const base = (flags.url || BASE_URL || `http://127.0.0.1:${PORT || 3000}`).replace(/\/+$/, '');
if (!/^https?:$/.test(URL.parse(base)?.protocol ?? '')) {
  process.stderr.write(
    `${flags.url ? '--url' : 'BASE_URL'} must be an http or https address, e.g. http://127.0.0.1:3000; see --help\n`,
  );
  process.exit(2);
}
const secret = process.env.WEBHOOK_SECRET;

const send = sendTo.bind(null, base);

async function deliver(walletId: string, amount: number, reference: string): Promise<Answer> {
  const data = {
    reference,
    amount,
    currency: 'NGN',
    narration: 'Pocket money for the agent',
    payment_method: 'bank_transfer',
    virtual_bank_account: { account_reference: walletId },
    customer: { name: 'Chidi Okafor', email: 'chidi@example.ng' },
  };
  const signature = secret && createHmac('sha256', secret).update(JSON.stringify(data)).digest('hex');
  const answer = await send('POST', '/api/webhooks', {
    body: { event: 'charge.success', data },
    headers: signature ? { 'x-korapay-signature': signature } : {},
  });
  if (answer.status === 401) {
    say(yellow('  The service wants signed webhooks: run the demo with the WEBHOOK_SECRET of the service.'));
  }
  return answer;
}

const INTENT = {
  amount: 40_000,
  merchantName: 'Shoprite',
  recipientAccountNo: '0123456789',
  recipientBankCode: '044',
  reason: 'Milk and bread',
};

async function play(): Promise<void> {
  chapter('1. A user signs up');
  const email = `demo-${randomUUID()}@example.ng`;
  const signedUp = await send('POST', '/v1/auth/signup', {
    body: { email, password: 'correct horse', accountType: 'business' },
  });
  check(
    '201, with a token; a business account has a businessId',
    signedUp.status === 201 &&
      typeof at(signedUp.body, 'data.token') === 'string' &&
      typeof at(signedUp.body, 'data.user.businessId') === 'string',
  );
  const session = { authorization: `Bearer ${String(at(signedUp.body, 'data.token'))}` };
  const userId = String(at(signedUp.body, 'data.user.id'));

  const wallet = async (
    rules: Body,
  ): Promise<{ id: string; key: Record<string, string>; answer: Answer }> => {
    const answer = await send('POST', '/api/wallets', {
      headers: session,
      body: {
        name: 'Shopping agent',
        userId,
        spendLimitPerTx: 50_000,
        spendLimitPeriod: 120_000,
        expiry: new Date(Date.now() + 30 * 86_400_000).toISOString(),
        ...rules,
      },
    });
    return {
      id: String(at(answer.body, 'data.wallet.id')),
      key: { 'x-api-key': String(at(answer.body, 'data.apiKey.fullKey')) },
      answer,
    };
  };
  const pay = (key: Record<string, string>, change: Body = {}): Promise<Answer> =>
    send('POST', '/api/payment-intent', { headers: key, body: { ...INTENT, ...change } });
  const blocked = (what: string, { status, body }: Answer, wanted: number, code: string): void =>
    check(
      `${what}: ${wanted} ${code}`,
      status === wanted && at(body, 'code') === code && at(body, 'success') === false,
    );

  chapter('2. The user makes a wallet for an agent: ₦500 at a time, ₦1,200 in 30 days, two merchants');
  const { id, key, answer } = await wallet({ useAllowlist: true, merchantAllowlist: ['Shoprite', 'Jumia'] });
  check(
    '201; the wallet is ACTIVE and empty',
    answer.status === 201 &&
      at(answer.body, 'data.wallet.status') === 'ACTIVE' &&
      at(answer.body, 'data.wallet.balance') === 0,
  );
  check(
    'it has a bank account of 10 digits',
    /^\d{10}$/.test(String(at(answer.body, 'data.virtualAccount.accountNumber'))),
  );
  check('it has an API key, shown this once', /^[a-z]+_live_\S{20,}$/.test(key['x-api-key'] ?? ''));

  chapter('3. A bank transfer of ₦1,050.55 arrives, and is reported twice');
  let reference = `DEMO-${randomUUID()}`;
  const bank = await send('GET', '/v1/bank', { headers: session });
  if (at(bank.body, 'data.provider') === 'sandbox') {
    // On the books of the sandbox too, so that a reconciliation finds nothing to complain of.
    const sent = await send('POST', '/v1/sandbox/transfers', {
      headers: session,
      body: { accountNumber: at(answer.body, 'data.virtualAccount.accountNumber'), amount: 105_055 },
    });
    reference = String(at(sent.body, 'data.reference'));
    check('201: the sandbox bank has it, and reported it to the webhook', sent.status === 201);
  } else {
    const first = await deliver(id, 1050.55, reference);
    check('200: the wallet is credited', first.status === 200);
  }
  check('reported once more: 200 again', (await deliver(id, 1050.55, reference)).status === 200);
  const funded = await send('GET', `/api/wallets/${id}`, { headers: session });
  check('the balance is 105,055 kobo: credited once', at(funded.body, 'data.wallet.balance') === 105_055);
  check('the key is not shown again', !JSON.stringify(funded.body).includes('fullKey'));

  chapter('4. The agent pays ₦400');
  const paid = await pay(key);
  check(
    '201, approved, with a settlement under way',
    paid.status === 201 &&
      at(paid.body, 'data.transaction.decision') === 'approved' &&
      typeof at(paid.body, 'data.settlement.reference') === 'string',
  );
  const keyed = { ...key, 'idempotency-key': randomUUID() };
  const once = await pay(keyed, { merchantName: '  JUMIA ' });
  const again = await pay(keyed, { merchantName: '  JUMIA ' });
  check('the allowlist is matched regardless of case', once.status === 201);
  check(
    'repeated with its Idempotency-Key it is the same payment, not a second one',
    typeof at(once.body, 'data.transaction.id') === 'string' &&
      at(once.body, 'data.transaction.id') === at(again.body, 'data.transaction.id'),
  );

  chapter('5. The six checks');
  const frozen = await wallet({ name: 'Suspended' });
  await send('POST', `/api/wallets/${frozen.id}/suspend`, { headers: session });
  blocked('1 a wallet that its owner suspended', await pay(frozen.key), 403, 'WALLET_INACTIVE');
  const brief = await wallet({ name: 'Soon expired', expiry: new Date(Date.now() + 2_000).toISOString() });
  blocked(
    '3 ₦600, more than ₦500 at a time',
    await pay(key, { amount: 60_000 }),
    403,
    'SPEND_LIMIT_PER_TX_EXCEEDED',
  );
  blocked(
    '4 ₦450 more, with ₦800 of ₦1,200 spent',
    await pay(key, { amount: 45_000 }),
    403,
    'SPEND_LIMIT_PER_PERIOD_EXCEEDED',
  );
  const stranger = await pay(key, { amount: 1_000, merchantName: 'Konga' });
  blocked('5 a merchant that is not on the allowlist', stranger, 403, 'MERCHANT_NOT_ALLOWED');
  blocked('6 ₦300, with ₦250.55 left', await pay(key, { amount: 30_000 }), 402, 'INSUFFICIENT_FUNDS');
  say(`\n  ${dim('waiting for the second wallet to expire …')}`);
  await wait(2_200);
  blocked('2 a wallet whose expiry has passed', await pay(brief.key, { amount: 100 }), 403, 'WALLET_EXPIRED');
  blocked(
    'the first check that fails decides: everything is wrong, the limit of one payment is named',
    await pay(key, { amount: 9_000_000, merchantName: 'Konga' }),
    403,
    'SPEND_LIMIT_PER_TX_EXCEEDED',
  );

  chapter('6. What is refused before any check');
  blocked('no key', await pay({}), 401, 'MISSING_API_KEY');
  blocked('an unknown key', await pay({ 'x-api-key': 'apw_live_unknown' }), 401, 'INVALID_API_KEY');
  blocked('an amount of 0', await pay(key, { amount: 0 }), 400, 'VALIDATION_ERROR');

  chapter('7. Everything is on record');
  const history = await send('GET', `/api/wallets/${id}/transactions?pageSize=20`, { headers: session });
  const attempts = list(history.body, 'data');
  say();
  for (const each of attempts) {
    say(
      `    ${String(each.decision).padEnd(8)} ${naira(each.amount).padStart(12)}  ${String(each.merchantName).padEnd(10)} ${String(each.blockReason ?? at(each, 'settlement.status'))}`,
    );
    for (const event of list(each, 'auditEvents')) {
      say(dim(`      ${String(event.type)} ${Object.values((event.detail ?? {}) as Body).join('  ')}`));
    }
  }
  check(
    '7 attempts: 2 approved, 5 blocked, newest first',
    attempts.length === 7 &&
      attempts.filter(({ decision }) => decision === 'approved').length === 2 &&
      at(history.body, 'pagination.totalCount') === 7,
  );
  check(
    'each has its audit events; a blocked one ends at the check that failed',
    attempts.every((each) => {
      const checks = list(each, 'auditEvents').filter(({ type }) => String(type).startsWith('check.'));
      return each.decision === 'approved'
        ? checks.length === 6 && checks.every(({ type }) => type === 'check.passed')
        : checks.at(-1)?.type === 'check.failed' && at(checks.at(-1), 'detail.check') === each.blockReason;
    }),
  );

  const compact = await send('GET', `/v1/wallets/${id}/transactions?limit=3`, { headers: session });
  check(
    'the compact list is a bare array and says merchant_not_in_allowlist',
    list(compact.body, '').length === 3 &&
      list((await send('GET', `/v1/wallets/${id}/transactions`, { headers: session })).body, '').some(
        ({ reason }) => reason === 'merchant_not_in_allowlist',
      ),
  );

  const ledger = await send('GET', `/api/wallets/${id}/ledgers`, { headers: session });
  const entries = list(ledger.body, 'data');
  say();
  for (const { type, amount, balanceAfter, reference: ref } of entries) {
    say(
      `    ${String(type).padEnd(7)} ${naira(amount).padStart(12)}  balance ${naira(balanceAfter).padStart(12)}  ${dim(String(ref))}`,
    );
  }
  check(
    'the ledger: a top-up and two debits, and its last balance is the balance',
    entries.map(({ type }) => type).join() === 'debit,debit,topup' && entries[0]?.balanceAfter === 25_055,
  );
  check('the top-up carries the reference of the transfer', entries.at(-1)?.reference === reference);
  const all = await send('GET', '/api/ledger', { headers: session });
  check(
    'the global ledger has the same entries: the other wallet has none',
    at(all.body, 'pagination.totalCount') === 3,
  );

  const stats = await send('GET', `/v1/wallets/${id}/stats`, { headers: session });
  check(
    'stats: 25,055 left, 80,000 spent in the period, 40,000 still allowed',
    at(stats.body, 'balance') === 25_055 &&
      at(stats.body, 'spentThisPeriod') === 80_000 &&
      at(stats.body, 'remainingAllowance') === 40_000,
  );
  const wallets = await send('GET', `/api/wallets/user/${userId}`, { headers: session });
  check(
    'all three wallets are listed, newest first',
    list(wallets.body, '')
      .map(({ id: each }) => each)
      .join() === [brief.id, frozen.id, id].join(),
  );

  chapter('8. The user logs out');
  check('200', (await send('POST', '/v1/auth/logout', { headers: session })).status === 200);
  const after = await send('GET', `/api/wallets/${id}`, { headers: session });
  check(
    'the token is dead at once: 401 UNAUTHORIZED',
    after.status === 401 && at(after.body, 'error.code') === 'UNAUTHORIZED',
  );
}

process.exitCode = await tell(base, play);
