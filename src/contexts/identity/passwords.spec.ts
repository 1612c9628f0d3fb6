import { parseOptions } from '@node-rs/argon2';
import { describe, expect, it } from '@jest/globals';
import { DUMMY_HASH, hashPassword, isPassword } from './passwords.js';

describe('a password', () => {
  it('is right or wrong by its hash, and wrong where there is none', async () => {
    const stored = await hashPassword('correct horse');
    expect(await isPassword(stored, 'correct horse')).toBe(true);
    expect(await isPassword(stored, 'Correct horse')).toBe(false);
    expect(await isPassword(undefined, 'correct horse')).toBe(false);
  });

  it('costs the same to check whether there is a user or not', async () => {
    expect(parseOptions(DUMMY_HASH)).toEqual(parseOptions(await hashPassword('correct horse')));
  });
});
