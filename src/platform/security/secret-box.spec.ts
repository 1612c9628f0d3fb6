import { describe, expect, it } from '@jest/globals';
import { SecretBox } from './secret-box.js';

describe('a box of secrets', () => {
  const box = new SecretBox(['a master secret of some length'], 'secrets of endpoints');

  it('opens what it sealed, for its owner alone', () => {
    const sealed = box.seal('whsec_x', 'endpoint 1');
    expect(box.open(sealed, 'endpoint 1')).toBe('whsec_x');
    expect(box.open(sealed, 'endpoint 2')).toBeNull();
    expect(
      new SecretBox(['a master secret of some length'], 'other secrets').open(sealed, 'endpoint 1'),
    ).toBeNull();
    expect(
      new SecretBox(['another master secret'], 'secrets of endpoints').open(sealed, 'endpoint 1'),
    ).toBeNull();
    expect(
      new SecretBox(['a master secret of some length'], 'secrets of endpoints').open(sealed, 'endpoint 1'),
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

  it('opens under each of its masters, and seals under the first', () => {
    const [old, older] = ['the master before', 'the master before that'];
    const rotated = new SecretBox(['the newest', old, older], 'secrets of endpoints');
    const newest = new SecretBox(['the newest'], 'secrets of endpoints');
    for (const master of [old, older]) {
      const sealed = new SecretBox([master], 'secrets of endpoints').seal('whsec_x', 'a');
      expect([rotated.open(sealed, 'a'), rotated.open(sealed, 'b'), newest.open(sealed, 'a')]).toEqual([
        'whsec_x',
        null,
        null,
      ]);
      const again = rotated.reseal(sealed, 'a')!;
      expect(newest.open(again, 'a')).toBe('whsec_x');
      expect(rotated.reseal(again, 'a')).toBe(again);
    }
    expect(newest.open(rotated.seal('whsec_x', 'a'), 'a')).toBe('whsec_x');
    expect(rotated.reseal(box.seal('whsec_x', 'a'), 'a')).toBeNull();
  });
});
