/**
 * Checks a receipt offline: `node scripts/verify-receipt.mjs <receipt> <answer of /.well-known/jwks.json>`. The receipt
 * is the signed text alone, as the dashboard downloads it (`.jws`), or the answer of `…/receipt`, whose payee and facts
 * are then held to their hashes too.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createLocalJWKSet, jwtVerify } from 'jose';

const [given, keySet] = process.argv.slice(2).map((file) => readFileSync(file, 'utf8').trim());
if (!keySet) throw new Error('usage: verify-receipt.mjs <receipt.jws or receipt.json> <jwks.json>');
const keys = JSON.parse(keySet);
const { receipt, salt, payee, facts } = given.startsWith('{') ? JSON.parse(given).data : { receipt: given };
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
