// Checks a receipt offline. A receipt is its text alone (.jws) or the answer of …/receipt, payee and facts included.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createLocalJWKSet, jwtVerify } from 'jose';

process.once('uncaughtException', ({ message }) => {
  console.error(`not verified: ${message}`);
  process.exitCode = 1;
});
const files = process.argv.slice(2);
const [given, keySet] = files.map((file) => readFileSync(file, 'utf8').trim());
if (!keySet) throw new Error('usage: verify-receipt.mjs <receipt.jws or receipt.json> <jwks.json>');
const { receipt, salt, ...disclosed } =
  given[0] === '{' ? (JSON.parse(given).data ?? {}) : { receipt: given };
if (typeof receipt !== 'string') throw new Error('there is no receipt in the first file');
const expected = { issuer: 'agent-payment-wallet', typ: 'payment-receipt+jwt', algorithms: ['EdDSA'] };
const keys = createLocalJWKSet(JSON.parse(keySet));
const { payload, protectedHeader } = await jwtVerify(receipt, keys, expected);
// A thief of the key can write any time into a receipt: under a revoked key, none is believed.
const key = JSON.parse(keySet).keys.find(({ kid }) => kid === protectedHeader.kid) ?? {};
if (key.revoked) throw new Error(`the key ${key.kid} was revoked: ${key.revoked.reason}`);
const isOutside = payload.iat < key.iat - 300 || payload.iat > key.exp + 300;
if (isOutside) throw new Error(`the key ${key.kid} did not sign at that time`);

// The hashes are of canonical JSON (RFC 8785): members in order, without white space.
const members = (value) => Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
const sorted = (_, value) => (value?.constructor === Object ? Object.fromEntries(members(value)) : value);
const ofAgent = ['runId', 'rationale'].filter((part) => payload[`${part}Hash`] ?? disclosed[part]);
const shown = ['payee', 'facts', ...ofAgent].map((part) => {
  if (!disclosed[part]) return `${part}: not shown`;
  const text = JSON.stringify(disclosed[part], sorted);
  const isSame = hash('sha256', `${salt}.${text}`, 'base64url') === payload[`${part}Hash`];
  if (!isSame) throw new Error(`the ${part}Hash is of something else`);
  return `${part}: shown, and what was signed: ${text}`;
});

const { outcome, blockReason, settlement, refundedAt, amount, jti, decidedAt, iat } = payload;
// Receipts of earlier versions say nothing of the refund, which then came with the reversal.
const refunded =
  refundedAt === null ? 'is not refunded yet' : `was refunded${refundedAt ? ` at ${refundedAt}` : ''}`;
const transfers = {
  succeeded: 'and paid',
  failed: 'but not paid: the bank refused the transfer, and the wallet was refunded',
  reversed: `but the bank sent the money back, and the wallet ${refunded}`,
};
const outcomes = {
  approved: `approved ${transfers[settlement] ?? `and not paid yet: the transfer is ${settlement ?? 'not begun'}`}`,
  blocked: `blocked (${blockReason}): nothing was paid`,
  pending: 'waiting for approval: nothing was paid yet',
};
console.log(`valid: ${outcomes[outcome] ?? outcome}
  as of ${new Date(iat * 1_000).toISOString()}, when it was signed: a newer receipt may say more
  transaction ${jti}: ${amount} kobo, decided at ${decidedAt}
  ${shown.join('\n  ')}
  signed with the key ${protectedHeader.kid}: trusted because ${files[1]} names it, and only as far as its source`);
