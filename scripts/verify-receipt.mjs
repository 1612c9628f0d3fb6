// Checks a receipt offline. A receipt is its text alone (.jws) or the answer of …/receipt, payee and facts included.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createLocalJWKSet, jwtVerify } from 'jose';

process.once('uncaughtException', ({ message }) => {
  console.error(`not verified: ${message}`);
  process.exitCode = 1;
});
const [given, keySet] = process.argv.slice(2).map((file) => readFileSync(file, 'utf8').trim());
if (!keySet) throw new Error('usage: verify-receipt.mjs <receipt.jws or receipt.json> <jwks.json>');
const { receipt, salt, payee, facts } =
  given[0] === '{' ? (JSON.parse(given).data ?? {}) : { receipt: given };
if (typeof receipt !== 'string') throw new Error('there is no receipt in the first file');
const expected = { issuer: 'agent-payment-wallet', typ: 'payment-receipt+jwt', algorithms: ['EdDSA'] };
const { payload } = await jwtVerify(receipt, createLocalJWKSet(JSON.parse(keySet)), expected);
const members = (value) => Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
const sorted = (_, value) => (value?.constructor === Object ? Object.fromEntries(members(value)) : value);
for (const [claim, value] of Object.entries({ payeeHash: payee, factsHash: facts })) {
  const found = value && hash('sha256', `${salt}.${JSON.stringify(value, sorted)}`, 'base64url');
  if (value && found !== payload[claim]) throw new Error(`the ${claim} is of something else`);
}
const { outcome, decidedAt, amount, jti } = payload;
console.log(`valid: ${outcome} at ${decidedAt}, ${amount} kobo, transaction ${jti}`);
