import { describe, expect, it } from '@jest/globals';
import { DUMMY_HASH, Passwords } from './passwords.js';

const passwords = new Passwords();

describe('a password', () => {
  it('is right, wrong, or of no user at all', async () => {
    const stored = await passwords.hash('correct horse');
    expect(await passwords.isRight(stored, 'correct horse')).toBe(true);
    expect(await passwords.isRight(stored, 'Correct horse')).toBe(false);
    expect(await passwords.isRight(undefined, 'correct horse')).toBe(false);
  });

  it('costs a guesser what OWASP asks for', async () => {
    expect(await passwords.hash('x')).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it('is compared with the same effort where there is no user', async () => {
    const parameters = (hash: string): string => hash.split('$').slice(0, 4).join('$');
    expect(parameters(DUMMY_HASH)).toBe(parameters(await passwords.hash('x')));
    // An answer that needs no hash is there before the next turn of the event loop; one that does can't be.
    const nextTurn = new Promise((resolve) => setImmediate(resolve, 'still hashing'));
    expect(await Promise.race([passwords.isRight(undefined, 'x'), nextTurn])).toBe('still hashing');
  });
});
