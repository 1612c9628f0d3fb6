import { describe, expect, it } from '@jest/globals';
import { SecretBox } from './secret-box.js';

describe('a box of secrets', () => {
  const box = new SecretBox('a master secret of some length', 'secrets of endpoints');

  it('opens what it sealed, for its owner alone', () => {
    const sealed = box.seal('whsec_x', 'endpoint 1');
    expect(box.open(sealed, 'endpoint 1')).toBe('whsec_x');
    expect(box.open(sealed, 'endpoint 2')).toBeNull();
    expect(
      new SecretBox('a master secret of some length', 'other secrets').open(sealed, 'endpoint 1'),
    ).toBeNull();
    expect(
      new SecretBox('another master secret', 'secrets of endpoints').open(sealed, 'endpoint 1'),
    ).toBeNull();
    expect(
      new SecretBox('a master secret of some length', 'secrets of endpoints').open(sealed, 'endpoint 1'),
    ).toBe('whsec_x');
  });

  it('never seals to the same bytes twice', () => {
    expect(box.seal('whsec_x', 'a')).not.toBe(box.seal('whsec_x', 'a'));
  });

  it('opens nothing that was changed', () => {
    const sealed = Buffer.from(box.seal('whsec_x', 'a'), 'base64');
    for (let i = 0; i < sealed.length; i += 1) {
      const changed = Buffer.from(sealed);
      changed[i]! ^= 1;
      expect(box.open(changed.toString('base64'), 'a')).toBeNull();
    }
    for (const nonsense of ['', 'AAAA', sealed.subarray(0, 28).toString('base64')]) {
      expect(box.open(nonsense, 'a')).toBeNull();
    }
  });
});
