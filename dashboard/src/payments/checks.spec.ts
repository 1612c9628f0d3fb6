import { describe, expect, it } from '@jest/globals';
import { checksInWords, checksOf, isAccountUnknown } from './checks.js';

const bankName = (code: string) => (code === '058' ? 'GTBank' : `Bank ${code}`);
const event = (type: string, check: string, detail: Record<string, string | number> = {}) => ({
  type,
  at: '2026-11-21T06:30:00.000Z',
  detail: { check, ...detail },
});

describe('the checks of a payment', () => {
  it('are shown as passed, failed or not reached, in the order of the specification', () => {
    const checks = checksOf(
      [
        event('check.passed', 'WALLET_INACTIVE', { limit: 'ACTIVE', actual: 'ACTIVE' }),
        event('check.passed', 'WALLET_EXPIRED'),
        event('check.failed', 'SPEND_LIMIT_PER_TX_EXCEEDED', { limit: 100, actual: 101 }),
      ] as never,
      bankName,
    );
    expect(checks.map(({ result }) => result)).toEqual([
      'passed',
      'passed',
      'failed',
      'not reached',
      'not reached',
      'not reached',
    ]);
    expect(checksInWords(checks)).toBe('2 of 6 passed');
  });

  it('call a stopped wallet what the interface calls it', () => {
    const stopped = event('check.failed', 'WALLET_INACTIVE', { limit: 'ACTIVE', actual: 'SUSPENDED' });
    expect(checksOf([stopped] as never, bankName)[0]?.compared).toBe('Status: frozen');
  });

  it('name the merchant as the agent wrote it, and nothing else by it', () => {
    const checks = checksOf(
      [
        event('check.passed', 'WALLET_INACTIVE', { limit: 'ACTIVE', actual: 'ACTIVE' }),
        event('check.passed', 'MERCHANT_NOT_ALLOWED', { limit: 'any', actual: 'mama put' }),
        event('check.failed', 'KEY_LIMIT_EXCEEDED', { keyLimit: 'allowedMerchants', actual: 'mama put' }),
      ] as never,
      bankName,
      'Mama  Put',
    );
    expect(checks[0]?.compared).toBe('Status: active');
    expect(checks[4]?.compared).toBe('Merchant “Mama  Put”');
    expect(checks.at(-1)?.compared).toBe('Merchant “Mama  Put”');
  });

  it('say in words what each rule beyond the six compared', () => {
    const further = (check: string, detail: Record<string, string | number>, type = 'check.failed') =>
      checksOf([event(type, check, detail)] as never, bankName).at(-1);
    const at = '2026-11-21T06:30:00.000Z';
    expect(further('KEY_LIMIT_EXCEEDED', { keyLimit: 'maxPayments', limit: 3, actual: 4 })).toEqual({
      rule: 'Key’s number of payments',
      result: 'failed',
      compared: 'Payment 4 of 3',
    });
    expect(
      further('KEY_LIMIT_EXCEEDED', { keyLimit: 'payee', limit: '0123456789 at 058', actual: '1 at 044' })
        ?.compared,
    ).toBe('To Bank 044 1, the key pays GTBank 0123456789');
    expect(
      further('PAYEE_NOT_ALLOWED', {
        payeePolicy: 'strict',
        limit: '058/0123456789, 044/0000000001',
        actual: '058/0000000002',
      }),
    ).toEqual({
      rule: 'Payee allowed',
      result: 'failed',
      compared: 'To GTBank 0000000002, this merchant’s is GTBank 0123456789 or Bank 044 0000000001',
    });
    expect(further('PAYEE_NOT_ALLOWED', { actual: '058/0000000002' })).toEqual({
      rule: 'Recipient’s account exists',
      result: 'failed',
      compared: 'To GTBank 0000000002',
    });
    const cooling = { limit: 2_000_000, actual: 2_000_001, coolingOff: 'key, payee', earliestPassAt: at };
    expect(further('COOLING_OFF', cooling)?.compared).toMatch(
      /^₦20,000\.01 requested, limit ₦20,000\.00 while the key and the payee are new, until 21 Nov/,
    );
    expect(further('POSSIBLE_DUPLICATE', { duplicateOf: 'x', limit: at, actual: at })?.compared).toMatch(
      /^Same amount and account as a payment shortly before; requested 21 Nov.*allowed again 21 Nov/,
    );
    expect(further('POSSIBLE_DUPLICATE', {}, 'check.passed')?.result).toBe('passed');
    expect(further('APPROVAL_LIMIT_REACHED', { limit: 100, actual: 100 })?.compared).toBe(
      '100 wait already, at most 100',
    );
    expect(
      further('PAYEE_NOT_ALLOWED', { payeePolicy: 'warn', actual: '058/1' }, 'check.warned')?.result,
    ).toBe('noted');
  });

  it('tell an account that its bank does not know from one that is another merchant’s', () => {
    const policy = event('check.failed', 'PAYEE_NOT_ALLOWED', { payeePolicy: 'strict', actual: '058/1' });
    const passed = event('check.passed', 'PAYEE_NOT_ALLOWED', { actual: '058/1' });
    const unknown = event('check.failed', 'PAYEE_NOT_ALLOWED', { actual: '058/1' });
    expect(isAccountUnknown([passed, policy] as never)).toBe(false);
    expect(isAccountUnknown([policy, unknown] as never)).toBe(true);
    expect(isAccountUnknown([event('check.failed', 'COOLING_OFF')] as never)).toBe(false);
  });

  it('never show a field’s name, also of a rule that is new here', () => {
    const [last] = checksOf([event('check.failed', 'NEW_RULE', { newField: 1 })] as never, bankName).slice(
      -1,
    );
    expect(last).toEqual({ rule: 'New rule', result: 'failed', compared: '' });
  });
});
