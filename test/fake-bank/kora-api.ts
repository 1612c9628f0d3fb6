import { createHash } from 'node:crypto';
import { BANKS } from '../../src/contexts/bank/bank-names.port.ts';
import type { Account, Collection, FakeBooks, Payout } from './bank.ts';
import { isObject, toKobo, toNaira, toNumber, type Json } from './json.ts';

export interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body: unknown;
}

export interface ApiCall {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly key: string | null;
  readonly body: unknown;
}

const yes = (message: string, data: unknown): Answer => ({
  status: 200,
  body: { status: true, message, data },
});
const no = (status: number, message: string, error: string, data: unknown = null): Answer => ({
  status,
  body: { status: false, error, message, data },
});
const wrongField = (field: string, message: string) =>
  no(400, 'Invalid request data', 'bad_request', { [field]: { message } });
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

type Route = (books: FakeBooks, call: ApiCall, id: string) => Answer;

const ROUTES: readonly [method: string, path: RegExp, route: Route][] = [
  ['POST', /^\/virtual-bank-account$/, openAccount],
  ['GET', /^\/virtual-bank-account\/transactions$/, listTransactions],
  ['POST', /^\/virtual-bank-account\/sandbox\/credit$/, creditSandbox],
  ['GET', /^\/virtual-bank-account\/([^/]+)$/, showAccount],
  ['GET', /^\/charges\/([^/]+)$/, showCharge],
  ['POST', /^\/transactions\/disburse$/, disburse],
  ['GET', /^\/transactions\/([^/]+)$/, showPayout],
  ['POST', /^\/misc\/banks\/resolve$/, resolve],
  ['GET', /^\/misc\/banks$/, listBanks],
  ['GET', /^\/balances$/, showBalances],
];

/** Answers one call as the bank would. */
export function answer(books: FakeBooks, call: ApiCall): Answer {
  if (!call.key) return no(401, 'no authorization token found', 'not_authenticated');
  if (!/^sk_(test|live)_/.test(call.key)) return no(401, 'Invalid authorization key', 'not_authenticated');
  for (const [method, path, route] of ROUTES) {
    const match = method === call.method ? path.exec(call.path) : null;
    if (match) return route(books, call, decodeURIComponent(match[1] ?? ''));
  }
  return no(404, `Cannot ${call.method} ${call.path}`, 'not_found');
}

function openAccount(books: FakeBooks, { body, key }: ApiCall): Answer {
  if (!isObject(body)) return no(400, 'Invalid request data', 'bad_request');
  const reference = text(body.account_reference);
  const bankCode = text(body.bank_code);
  const bvn = isObject(body.kyc) ? text(body.kyc.bvn) : '';
  const customer = isObject(body.customer) ? body.customer : {};
  if (!reference) return wrongField('account_reference', 'account_reference is required');
  if (!text(body.account_name)) return wrongField('account_name', 'account_name is required');
  if (body.permanent !== true) return wrongField('permanent', 'permanent must be true');
  if (!text(customer.name)) return wrongField('customer.name', 'customer.name is required');
  if (!/^\d{11}$/.test(bvn)) return wrongField('kyc.bvn', 'kyc.bvn must be 11 digits');
  if (bvn === '00000000000') return no(400, 'Invalid BVN', 'bad_request');
  if (key?.startsWith('sk_test_') && bankCode !== '000')
    return no(400, 'Invalid bank provided.', 'bad_request');
  if (books.accounts.has(reference)) return no(409, 'Account reference already exists', 'conflict');
  if (books.accounts.size >= books.options.accountsMax)
    return no(400, 'Virtual account limit reached', 'bad_request');
  const account = books.open(reference, text(body.account_name), bankCode, customer);
  return yes('Virtual bank account created successfully', accountData(account));
}

function showAccount(books: FakeBooks, _call: ApiCall, reference: string): Answer {
  const account = books.accounts.get(reference);
  return account
    ? yes('Virtual bank account retrieved successfully', accountData(account))
    : no(404, 'Virtual bank account not found', 'not_found');
}

/** The time is spelled with an I behind its T, as in the bank's own documentation. */
function accountData(account: Account): Json {
  return {
    account_name: account.name,
    account_number: account.number,
    bank_code: account.bankCode,
    bank_name: account.bankName,
    account_reference: account.reference,
    unique_id: account.id,
    account_status: 'active',
    created_at: account.createdAt.replace('T', 'TI'),
    currency: 'NGN',
    customer: account.customer,
  };
}

function listTransactions(books: FakeBooks, { query }: ApiCall): Answer {
  const account = books.accountsByNumber.get(query.get('account_number') ?? '');
  if (!account) return no(404, 'Virtual bank account not found', 'not_found');
  const [from, to] = [query.get('start_date') ?? '0000', query.get('end_date') ?? '9999'];
  const [page, limit] = [Number(query.get('page') ?? 1), Math.min(100, Number(query.get('limit') ?? 10))];
  const all = [...books.collections.values()].filter(
    ({ accountNumber, at }) =>
      accountNumber === account.number && at.slice(0, 10) >= from && at.slice(0, 10) <= to,
  );
  const total = all.reduce((sum, { amount }) => sum + amount, 0n);
  return yes('Virtual bank account transactions retrieved successfully', {
    total_amount_recieved: toNumber(total),
    account_number: account.number,
    currency: 'NGN',
    transactions: all.slice((page - 1) * limit, page * limit).map(listRow),
    pagination: { page, total: all.length, pageCount: limit, totalPages: Math.ceil(all.length / limit) },
  });
}

function listRow({ reference, amount, fee, currency, narration, payer }: Collection): Json {
  return {
    reference,
    status: 'success',
    amount: toNaira(amount),
    fee: toNaira(fee),
    currency,
    description: narration,
    payer_bank_account: payer,
  };
}

function creditSandbox(books: FakeBooks, { body, key }: ApiCall): Answer {
  if (!key?.startsWith('sk_test_')) return no(403, 'not_authorized', 'not_authorized');
  const account = isObject(body) ? books.accountsByNumber.get(text(body.account_number)) : undefined;
  const amount = isObject(body) ? toKobo(body.amount) : null;
  if (!account) return no(404, 'Virtual bank account not found', 'not_found');
  if (!amount || amount < 100_00n || amount > 10_000_000_00n)
    return wrongField('amount', 'amount is out of range');
  books.collect({ accountNumber: account.number, amount: toNaira(amount) });
  return yes('Virtual bank account credited successfully', null);
}

function showCharge(books: FakeBooks, _call: ApiCall, reference: string): Answer {
  const collection = books.collections.get(reference);
  if (!collection) return no(404, 'Charge not found', 'not_found');
  const account = books.accounts.get(collection.accountReference);
  return yes('Charge retrieved successfully', {
    reference,
    status: 'success',
    amount: toNaira(collection.amount),
    amount_paid: toNaira(collection.amount),
    fee: toNumber(collection.fee),
    currency: collection.currency,
    description: 'Payment to merchant',
    customer: account?.customer ?? {},
    virtual_bank_account: {
      account_number: collection.accountNumber,
      account_name: account?.name,
      account_reference: collection.accountReference,
      transaction_narration: collection.narration,
      payer_bank_account: collection.payer,
    },
  });
}

function disburse(books: FakeBooks, { body }: ApiCall): Answer {
  const destination = isObject(body) && isObject(body.destination) ? body.destination : null;
  const bankAccount = destination && isObject(destination.bank_account) ? destination.bank_account : {};
  const customer = destination && isObject(destination.customer) ? destination.customer : {};
  if (!isObject(body) || !destination) return wrongField('destination', 'destination is required');
  const reference = text(body.reference);
  const amount = toKobo(destination.amount);
  const [bankCode, accountNumber] = [text(bankAccount.bank), text(bankAccount.account)];
  if (reference.length < 5 || reference.length > 50)
    return wrongField('reference', 'reference has a wrong length');
  if (!amount)
    return wrongField('destination.amount', 'amount must be a positive number with two decimal places');
  if (!text(customer.email)) return wrongField('destination.customer.email', 'customer.email is required');
  if (isObject(body.metadata) && Object.keys(body.metadata).length === 0) {
    return wrongField('metadata', 'metadata must not be empty');
  }
  if (books.payouts.has(reference)) {
    return no(409, 'Duplicate Transaction Reference. Please use a unique reference', 'conflict');
  }
  if (bankCode !== '999' && !/^\d{5,6}$/.test(bankCode) && !BANKS.some(({ code }) => code === bankCode)) {
    return no(400, 'Invalid bank provided.', 'bad_request');
  }
  if (!/^\d{10}$/.test(accountNumber) || (bankCode === '011' && accountNumber === '9999999999')) {
    return no(400, 'Invalid account.', 'bad_request');
  }
  if (books.balance < amount + books.options.payoutFee) {
    return no(409, 'Insufficient funds in disbursement wallet', 'conflict');
  }
  const narration = text(destination.narration);
  const notificationUrl = text(body.notification_url) || undefined;
  const payout = books.accept({
    reference,
    amount,
    bankCode,
    accountNumber,
    narration,
    customer,
    notificationUrl,
  });
  books.planEnd(payout);
  return yes('transfer initiated successfully', payoutData(payout, toNaira));
}

function showPayout(books: FakeBooks, _call: ApiCall, reference: string): Answer {
  const payout = books.payouts.get(reference);
  if (!payout) return no(404, 'Transaction not found', 'not_found');
  return yes('Transaction retrieved successfully', {
    ...payoutData(payout, toNumber),
    metadata: null,
    ...(payout.status === 'success' && { trace_id: sessionIdOf(payout) }),
  });
}

/** The session id of the transfer between banks: 30 digits, the first six of them the sending bank. */
export function sessionIdOf({ reference }: Pick<Payout, 'reference'>): string {
  const digits = BigInt(`0x${createHash('sha256').update(reference).digest('hex')}`).toString();
  return `000014${digits.slice(0, 24)}`;
}

function payoutData(payout: Payout, print: (kobo: bigint) => unknown): Json {
  const { reference, status, amount, fee, narration, message, customer } = payout;
  return {
    reference,
    status,
    amount: print(amount),
    fee: print(fee),
    currency: 'NGN',
    narration,
    message,
    customer,
  };
}

function resolve(_books: FakeBooks, { body }: ApiCall): Answer {
  const bank = isObject(body) ? BANKS.find(({ code }) => code === body.bank) : undefined;
  const account = isObject(body) ? text(body.account) : '';
  if (!bank) return no(400, 'Invalid bank provided.', 'bad_request');
  if (!/^\d{10}$/.test(account) || account === '9999999999') {
    return no(400, 'Unable to resolve bank account.', 'bad_request');
  }
  const data = {
    bank_name: bank.name,
    bank_code: bank.code,
    account_number: account,
    account_name: 'Test Account',
  };
  return yes('Account retrieved successfully', data);
}

function listBanks(): Answer {
  const banks = BANKS.map(({ code, name }) => {
    return { name, slug: name.toLowerCase().replace(/\W+/g, '-'), code, country: 'NG' };
  });
  return yes('Successful', banks);
}

function showBalances(books: FakeBooks): Answer {
  return yes('success', { NGN: { pending_balance: 0, available_balance: toNumber(books.balance) } });
}
