import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { DecimalText, koboFromNaira } from '../../../kernel/money.js';
import { flatten, parseWebhook, readKoraWebhook, verifySignature } from './kora-webhook.js';

const SECRET = 'sk_test_only_for_this_file';
const sign = (data: string | Buffer, secret = SECRET) =>
  createHmac('sha256', secret).update(data).digest('hex');
const bytes = (text: string) => Buffer.from(text);

const data = {
  reference: 'KPY-PAY-9aX2',
  currency: 'NGN',
  amount: 2500.5,
  fee: 37.5,
  status: 'success',
  transaction_date: '2026-02-03 09:15:00',
  virtual_bank_account_details: {
    payer_bank_account: { account_name: 'Ngozi Bello', account_number: '******4411', bank_name: 'Test Bank' },
    virtual_bank_account: {
      account_name: 'Research agent',
      account_number: '7000000011',
      account_reference: '0190f0c4-0000-7000-8000-000000000001',
      bank_name: 'Wema Bank',
      permanent: true,
    },
  },
};

describe('a signature', () => {
  it.each([
    ['compact, as Kora prints it', JSON.stringify({ event: 'charge.success', data }), JSON.stringify(data)],
    [
      'compact, `data` before `event`',
      JSON.stringify({ data, event: 'charge.success' }),
      JSON.stringify(data),
    ],
    ['pretty-printed, over the compact form', JSON.stringify({ data }, null, 2), JSON.stringify(data)],
    ['of 150.00, over 150', '{"data":{"amount":150.00}}', '{"amount":150}'],
    ['of 150.00, over 150.00', '{"data":{"amount":150.00}}', '{"amount":150.00}'],
    ['of an escaped letter, over the letter', '{"data":{"name":"\\u00e9"}}', '{"name":"é"}'],
    ['of an escaped letter, over the escape', '{"data":{"name":"\\u00e9"}}', '{"name":"\\u00e9"}'],
    ['of an escaped slash, over the slash', '{"data":{"url":"a\\/b"}}', '{"url":"a/b"}'],
    ['of an escaped slash, over the escape', '{"data":{"url":"a\\/b"}}', '{"url":"a\\/b"}'],
    ['of keys like integers, over their order', '{"data":{"b":1,"2":2,"1":3}}', '{"1":3,"2":2,"b":1}'],
    ['of keys like integers, as received', '{"data":{"b":1,"2":2,"1":3}}', '{"b":1,"2":2,"1":3}'],
    ['under an escaped key', '{"d\\u0061ta":{"a":[1,"]}",{"b":"\\""}]} }', '{"a":[1,"]}",{"b":"\\""}]}'],
    ['beside a nested `data`', '{"x":{"data":1},"data":{"a":2}}', '{"a":2}'],
    ['of the last of two `data`', '{"data":{"a":1},"data":{"a":2}}', '{"a":2}'],
    ['in upper case hex', '{"data":{}}', '{}', (hex: string) => hex.toUpperCase()],
  ])('is good %s', (_case, body, signed, change = (hex: string) => hex) => {
    expect(verifySignature(bytes(body), change(sign(signed)), [SECRET])).toBe(true);
  });

  it('is good under a former secret as under the newest', () => {
    for (const secret of ['the newest', 'the former'])
      expect(verifySignature(bytes('{"data":{}}'), sign('{}', secret), ['the newest', 'the former'])).toBe(
        true,
      );
    expect(verifySignature(bytes('{"data":{}}'), sign('{}'), ['the newest', 'the former'])).toBe(false);
  });

  const good = sign(JSON.stringify(data));
  it.each([
    ['absent', undefined, JSON.stringify({ data })],
    ['empty', '', JSON.stringify({ data })],
    ['a digit short', good.slice(1), JSON.stringify({ data })],
    ['no hex', 'z'.repeat(64), JSON.stringify({ data })],
    ['made with another key', sign(JSON.stringify(data), 'sk_other'), JSON.stringify({ data })],
    ['of the whole body', sign(JSON.stringify({ data })), JSON.stringify({ data })],
    ['of another amount', good, JSON.stringify({ data: { ...data, amount: 25_000.5 } })],
    ['of the first of two `data`', sign('{"a":1}'), '{"data":{"a":1},"data":{"a":2}}'],
    ['of a body without `data`', sign('undefined'), '{"event":"charge.success"}'],
    ['of an array', sign('[]'), '[]'],
    ['of what is no JSON', sign('{}'), '{"data":{}'],
    ['of nothing', sign(''), ''],
  ])('is bad when it is %s', (_case, signature, body) => {
    expect(verifySignature(bytes(body), signature, [SECRET])).toBe(false);
    expect(readKoraWebhook(bytes(body), signature, [SECRET])).toEqual({ kind: 'bad-signature' });
  });

  it('is asked for only where there is a secret', () => {
    expect(readKoraWebhook(bytes('{"event":"x"}'), undefined, [])).toEqual({
      kind: 'ok',
      body: { event: 'x' },
    });
  });
});

describe('an amount', () => {
  const amountOf = (text: string) => {
    const body = parseWebhook(bytes(`{"data":{"x":{"amount":1},"amount": ${text} ,"y":2}}`));
    return (body as { data: { amount: unknown } }).data.amount;
  };

  it.each([
    ['1050.55', 105_055],
    ['8.2', 820],
    ['4.35', 435],
    ['150.00', 15_000],
    ['10.500', 1_050],
    ['70368744177664.01', 7_036_874_417_766_401],
    ['90071992547409.91', Number.MAX_SAFE_INTEGER],
    ['1.5e3', 150_000],
  ])('of %s is exact in kobo', (text, expected) => {
    const amount = amountOf(text);
    expect(amount).toEqual(new DecimalText(text));
    expect(koboFromNaira((amount as DecimalText).text)).toBe(expected);
  });

  it.each(['0', '-5', '-0.0', '10.505', '2.675', '1e21', '90071992547409.92', '1e-3'])(
    'of %s is none',
    (text) => {
      expect(koboFromNaira((amountOf(text) as DecimalText).text)).toBeNull();
    },
  );

  it('that is a JSON string, null or an object stays what it is, for the validator to refuse', () => {
    expect(amountOf('"1050.55"')).toBe('1050.55');
    expect(amountOf('null')).toBeNull();
    expect(amountOf('{"text":"5"}')).toEqual({ text: '5' });
  });

  it('that stands twice is the last one', () => {
    const body = parseWebhook(bytes('{"data":{"amount":1.10,"amount":2.20}}'));
    expect(body).toEqual({ data: { amount: new DecimalText('2.20') } });
  });

  it.each(['', 'null', '5', '[]', '{"data":null}', '{"data":[1]}', '{', '{"data":{"amount":1'])(
    'is not looked for in the body %p',
    (text) => {
      expect(() => parseWebhook(bytes(text))).not.toThrow();
    },
  );
});

describe("Kora's nested body", () => {
  it('becomes the flat one', () => {
    const { payer_bank_account, virtual_bank_account } = data.virtual_bank_account_details;
    const flat = {
      ...data,
      payer_bank_account,
      virtual_bank_account,
      virtual_bank_account_details: undefined,
    };
    expect(flatten({ event: 'charge.success', data })).toEqual({ event: 'charge.success', data: flat });
  });

  it('without a payer has none when flat', () => {
    const { virtual_bank_account } = data.virtual_bank_account_details;
    const flat = flatten({ data: { virtual_bank_account_details: { virtual_bank_account } } });
    expect(flat).toStrictEqual({ data: { virtual_bank_account } });
  });

  it('becomes the flat one where that is there too and null', () => {
    const nulls = { virtual_bank_account: null, payer_bank_account: null, narration: null };
    expect(flatten({ data: { ...data, ...nulls } })).toStrictEqual(flatten({ data }));
  });

  it('leaves a flat part as it is where that is there too and not null', () => {
    const virtual_bank_account = { account_reference: 'w' };
    const flat = flatten({ data: { ...data, virtual_bank_account } });
    const { payer_bank_account } = data.virtual_bank_account_details;
    expect(flat).toMatchObject({ data: { virtual_bank_account, payer_bank_account } });
    expect(flat).not.toHaveProperty('data.virtual_bank_account.permanent');
  });

  it.each([
    [{ event: 'charge.success', data: { virtual_bank_account: { account_reference: 'w' } } }],
    [{ event: 'charge.success', data: { virtual_bank_account_details: 'text' } }],
    [{ event: 'charge.success', data: null }],
    [{ event: 'charge.success' }],
    [null],
    ['text'],
    [[]],
  ])('is left alone when it is %j', (body) => {
    expect(flatten(body)).toBe(body);
  });

  it('leaves an input untouched, also one with a key of `__proto__`', () => {
    const body = JSON.parse(
      '{"data":{"virtual_bank_account_details":{},"__proto__":{"amount":1}}}',
    ) as object;
    const before = JSON.stringify(body);
    const flat = flatten(body) as { data: { amount?: unknown } };
    expect(JSON.stringify(body)).toBe(before);
    expect(flat.data.amount).toBeUndefined();
  });
});

describe('an event', () => {
  it('swapped on a genuine delivery keeps its signature: the status in the signed data comes through', () => {
    const failed = { ...data, status: 'failed' };
    const swapped = bytes(JSON.stringify({ event: 'charge.success', data: failed }));
    const read = readKoraWebhook(swapped, sign(JSON.stringify(failed)), [SECRET]);
    expect(read).toMatchObject({ kind: 'ok', body: { event: 'charge.success', data: { status: 'failed' } } });
  });

  it('is read behind a byte order mark, signed or not', () => {
    const marked = bytes(`\ufeff${JSON.stringify({ event: 'charge.success', data })}`);
    for (const secret of [SECRET, undefined]) {
      const read = readKoraWebhook(marked, sign(JSON.stringify(data)), secret === undefined ? [] : [secret]);
      expect(read).toMatchObject({ kind: 'ok', body: { event: 'charge.success' } });
    }
  });
});
