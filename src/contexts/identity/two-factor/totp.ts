import { randomBytes } from 'node:crypto';
import { generateSecret, generateURI, verifySync } from 'otplib';
import { sha256 } from '../../../kernel/sha256.js';

const STEP_SECONDS = 30;
const RECOVERY_CODES = 10;
/** Without similar-looking characters. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';
const RECOVERY_CODE_LENGTH = 16;

export function newSecret(issuer: string, label: string): { secret: string; uri: string } {
  const secret = generateSecret();
  return { secret, uri: generateURI({ issuer, label, secret }) };
}

/** Allows one step early or late; null if wrong. */
export function stepOf(code: string, secret: string, now: Date): number | null {
  const result = verifySync({
    secret,
    token: code,
    period: STEP_SECONDS,
    epoch: Math.floor(now.getTime() / 1000),
    epochTolerance: STEP_SECONDS,
  });
  return result.valid && 'timeStep' in result ? result.timeStep : null;
}

export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const code = Array.from(randomBytes(RECOVERY_CODE_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]);
    return code.join('').replace(/.{4}(?=.)/g, '$&-');
  });
}

export function withoutSeparators(code: string): string {
  return code.replace(/[\s\p{Pd}]/gu, '');
}

/** Ignores case, spaces and hyphens. */
export function hashRecoveryCode(code: string): Buffer {
  return sha256(withoutSeparators(code).toLowerCase());
}
