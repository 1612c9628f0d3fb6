import { describe, expect, it } from '@jest/globals';
import { readCharge } from './kora-read.js';

describe('the time of a charge', () => {
  const time = (fields: object) => {
    const read = readCharge({
      status: 'success',
      reference: 'KPY-1',
      amount: '10.00',
      currency: 'NGN',
      ...fields,
    });
    return read.kind === 'money' ? read.money.at?.toISOString() : read.kind;
  };

  it.each([
    [{ transaction_date: '2026-11-21 06:30:00', completed_at: '2026-11-22', created_at: '2026-11-23' }, 21],
    [{ completed_at: '2026-11-22T06:30:00Z', created_at: '2026-11-23' }, 22],
    [{ created_at: '2026-11-23T06:30:00Z' }, 23],
  ])('is read from what there is of %j', (fields, day) => {
    expect(time(fields)).toBe(`2026-11-${day}T06:30:00.000Z`);
  });

  it('is not known where it has none, or none that can be read', () => {
    expect([time({}), time({ created_at: 'yesterday' })]).toEqual([undefined, undefined]);
  });
});
