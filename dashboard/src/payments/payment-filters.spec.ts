import { describe, expect, it } from '@jest/globals';
import { filtersOf, isFiltered, queryOf, rangeProblem } from './payment-filters.js';

const of = (address: string) => {
  const search = new URLSearchParams(address);
  return filtersOf((name) => search.get(name));
};

describe('the filters of payments', () => {
  it('ask for nothing where nothing is chosen', () => {
    expect(queryOf(of(''))).toEqual({});
    expect(isFiltered(of('page=2'))).toBe(false);
  });

  it('take whole days and amounts as they were typed', () => {
    const query = queryOf(of('from=2026-11-21&to=2026-11-21&min=1,250.50&max=2000&status=blocked'));
    expect(query).toMatchObject({ minAmount: 125_050, maxAmount: 200_000, status: 'blocked' });
    expect(new Date(query.to ?? '').getTime() - new Date(query.from ?? '').getTime()).toBe(86_400_000);
  });

  it('take several statuses, and the moment that a link of Home begins at', () => {
    const from = '2026-11-27T17:03:12.345Z';
    expect(queryOf(of(`status=paid,processing&from=${from}`))).toEqual({ status: 'paid,processing', from });
    expect(queryOf(of('status=paid,zzz&from=2026-99-99T00:00:00Z'))).toEqual({});
    expect(queryOf(of('status=toString'))).toEqual({});
  });

  it('take what counts as spent in the place of statuses', () => {
    expect(queryOf(of('status=spent'))).toEqual({ spent: 'true' });
    expect(queryOf(of('status=spent,paid'))).toEqual({});
  });

  it('take what a payment may lack', () => {
    expect(queryOf(of('without=category'))).toEqual({ without: 'category' });
    expect(queryOf(of('without=merchant'))).toEqual({});
  });

  it('leave out what can’t be read, and the end of a range that ends before its start', () => {
    expect(queryOf(of('key=apw_live_x'))).toEqual({});
    const key = '019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f';
    expect(queryOf(of(`key=${key}`))).toEqual({ key });
    expect(queryOf(of('status=zzz&wallet=7&from=soon&min=-1&merchant=%20'))).toEqual({});
    const turned = of('from=2026-11-02&to=2026-11-01&min=20&max=10');
    expect(queryOf(turned)).toEqual({ from: expect.any(String), minAmount: 2_000 });
    expect(rangeProblem(turned)).toEqual({ to: 'Before “From”', max: 'Less than “At least”' });
    expect(rangeProblem(of('from=2026-11-02&to=2026-11-02&min=10&max=10'))).toEqual({ to: null, max: null });
  });
});
