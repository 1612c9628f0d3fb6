import { describe, expect, it, jest } from '@jest/globals';
import { WorkQueue } from '../../platform/batching/work-queue.js';
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

  it('is the same however its letters are composed', async () => {
    const stored = await passwords.hash('Pa\u0308sswo\u0308rd');
    expect(await passwords.isRight(stored, 'Pässwörd')).toBe(true);
    expect(await passwords.isRight(stored, 'Pa\u0308sswo\u0308rd')).toBe(true);
    expect(await passwords.isRight(stored, 'Password')).toBe(false);
  });

  it('is also tried as it was typed, with the same effort where there is no user', async () => {
    const tries = jest.spyOn(WorkQueue.prototype, 'run');
    const stored = await passwords.hash('correct horse');
    for (const [of, typed, effort] of [
      [stored, 'battery staple', 1],
      [undefined, 'battery staple', 1],
      [stored, 'Ba\u0308cker', 2],
      [undefined, 'Ba\u0308cker', 2],
    ] as const) {
      tries.mockClear();
      expect(await passwords.isRight(of, typed)).toBe(false);
      expect(tries).toHaveBeenCalledTimes(effort);
    }
  });

  it('is compared with the same effort where there is no user', async () => {
    const parameters = (hash: string): string => hash.split('$').slice(0, 4).join('$');
    expect(parameters(DUMMY_HASH)).toBe(parameters(await passwords.hash('x')));
    const nextTurn = new Promise((resolve) => setImmediate(resolve, 'still hashing'));
    expect(await Promise.race([passwords.isRight(undefined, 'x'), nextTurn])).toBe('still hashing');
  });
});
