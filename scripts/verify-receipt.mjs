/** Checks a receipt offline: `node scripts/verify-receipt.mjs <answer of …/receipt> <answer of /.well-known/jwks.json>`. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createLocalJWKSet, jwtVerify } from 'jose';

const [answer, keys] = process.argv.slice(2).map((file) => JSON.parse(readFileSync(file, 'utf8')));
if (!keys) throw new Error('usage: verify-receipt.mjs <receipt.json> <jwks.json>');
const { receipt, salt, payee, facts } = answer.data;
const sorted = (_, value) =>
  value?.constructor === Object
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
const hashOf = (value) =>
  createHash('sha256')
    .update(`${salt}.${JSON.stringify(value, sorted)}`)
    .digest('base64url');

const expected = { issuer: 'agent-payment-wallet', typ: 'payment-receipt+jwt', algorithms: ['EdDSA'] };
const { payload } = await jwtVerify(receipt, createLocalJWKSet(keys), expected);
for (const [claim, value] of Object.entries({ payeeHash: payee, factsHash: facts })) {
  if (value && hashOf(value) !== payload[claim])
    throw new Error(`the ${claim} of the receipt is of something else`);
}
console.log(
  `valid: ${payload.outcome} at ${payload.decidedAt}, ${payload.amount} kobo, transaction ${payload.jti}`,
);
