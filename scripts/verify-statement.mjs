// Checks a statement's file offline: node scripts/verify-statement.mjs <statement.pdf or .csv> <signature.jws> <jwks.json>
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createLocalJWKSet, jwtVerify } from 'jose';

process.once('uncaughtException', ({ message }) => {
  console.error(`not verified: ${message}`);
  process.exitCode = 1;
});
const USAGE = 'usage: verify-statement.mjs <statement.pdf or .csv> <signature.jws> <jwks.json>';
const files = process.argv.slice(2);
if (files.includes('--help')) {
  console.log(`Checks that a statement is the one that was signed.\n${USAGE}`);
  process.exit(0);
}
if (files.length !== 3) throw new Error(USAGE);
const [file, signature, keySet] = [
  readFileSync(files[0]),
  readFileSync(files[1], 'utf8').trim(),
  JSON.parse(readFileSync(files[2], 'utf8')),
];
const expected = { issuer: 'agent-payment-wallet', typ: 'account-statement+jwt', algorithms: ['EdDSA'] };
const { payload, protectedHeader } = await jwtVerify(signature, createLocalJWKSet(keySet), expected);
// A thief of the key can write any time into a signature: under a revoked key, none is believed.
const key = keySet.keys.find(({ kid }) => kid === protectedHeader.kid) ?? {};
if (key.revoked) throw new Error(`the key ${key.kid} was revoked: ${key.revoked.reason}`);
const isOutside = payload.iat < key.iat - 300 || payload.iat > key.exp + 300;
if (isOutside) throw new Error(`the key ${key.kid} did not sign at that time`);
const digest = hash('sha256', file, 'hex');
const format = ['pdf', 'csv'].find((each) => payload[`${each}Sha256`] === digest);
if (!format) throw new Error(`${files[0]} is not the file that was signed`);
const { opening, received, paidOut, refunded, closing, entries } = payload;
if (BigInt(opening) + BigInt(received) - BigInt(paidOut) + BigInt(refunded) !== BigInt(closing))
  throw new Error('its figures do not add up');
console.log(`valid: the ${format.toUpperCase()} of the statement for ${payload.month}, version ${payload.version}
  of the ${payload.scope} ${payload.sub}, from ${payload.from} up to ${payload.to} (${payload.timeZone})
  opening ${opening} + in ${received} - out ${paidOut} + refunds ${refunded} = closing ${closing} kobo, ${entries} entries
  signed with the key ${protectedHeader.kid}: trusted because ${files[2]} names it, and only as far as its source`);
