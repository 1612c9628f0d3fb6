import { describe, expect, it } from '@jest/globals';
import { DUMMY_HASH, hashPassword, isPassword } from './passwords.js';

describe('a password', () => {
  it('is right, wrong, or of no user at all', async () => {
    const stored = await hashPassword('correct horse');
    expect(await isPassword(stored, 'correct horse')).toBe(true);
    expect(await isPassword(stored, 'Correct horse')).toBe(false);
    expect(await isPassword(undefined, 'correct horse')).toBe(false);
  });

  it('is compared with the same effort where there is no user', async () => {
    const parameters = (hash: string): string => hash.split('$').slice(0, 4).join('$');
    expect(parameters(DUMMY_HASH)).toBe(parameters(await hashPassword('x')));
    // An answer that needs no hash is there before the next turn of the event loop; one that does can't be.
    const nextTurn = new Promise((resolve) => setImmediate(resolve, 'still hashing'));
    expect(await Promise.race([isPassword(undefined, 'x'), nextTurn])).toBe('still hashing');
  });
});
