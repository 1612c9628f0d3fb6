import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { codePoints } from '../../../kernel/text.js';
import { dispositionOf, FILE_TYPES, fileName, typeOf } from './files.domain.js';

describe('the type of a file', () => {
  it.each([
    ['image/png', '\x89PNG\r\n\x1a\nrest'],
    ['image/jpeg', '\xff\xd8\xff\xe0'],
    ['image/webp', 'RIFF\x10\0\0\0WEBPVP8 '],
    ['image/gif', 'GIF87a'],
    ['image/gif', 'GIF89a'],
    ['application/pdf', '%PDF-1.7'],
    [null, ''],
    [null, '\x89PNG\r\n\x1a'],
    [null, '\xff\xd8'],
    [null, 'RIFF\x10\0\0\0WAVE'],
    [null, 'RIFF\x10\0\0\0WEB'],
    [null, 'GIF88a'],
    [null, ' %PDF-1.7'],
    [null, '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    [null, '<html>\x89PNG\r\n\x1a\n'],
    [null, 'PK\x03\x04'],
  ])('is %s of %j', (type, bytes) => {
    expect(typeOf(Buffer.from(bytes, 'latin1'))).toBe(type);
  });
});

describe('the name of a file', () => {
  it.each([
    ['receipt.pdf', 'receipt.pdf'],
    ['Receipt.PDF', 'Receipt.pdf'],
    ['../../etc/passwd', 'passwd.pdf'],
    ['C:\\Users\\ada\\receipt.pdf', 'receipt.pdf'],
    ['invoice\u202efdp.exe', 'invoicefdp.exe.pdf'],
    ['a"b; filename=c\r\nX: y.pdf', 'a b filename=c X y.pdf'],
    ['page.html', 'page.html.pdf'],
    ['Ọ̀fà ₦500.pdf', 'Ọ̀fà ₦500.pdf'],
    ['.pdf', 'pdf.pdf'],
    ['...', 'file.pdf'],
    ['', 'file.pdf'],
    ['a/', 'file.pdf'],
    [`${'x'.repeat(200)}.pdf`, `${'x'.repeat(96)}.pdf`],
  ])('of %j is %j', (given, name) => {
    expect(fileName(given, 'application/pdf')).toBe(name);
  });

  it('is one visible line of at most 100 characters, with an extension of its type, and stays as it is', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 150 }),
      fc.string({
        unit: fc.constantFrom('.', '/', '\\', '"', '\r\n', '\u202e', ' ', 'a', 'png', '\ud800'),
        maxLength: 60,
      }),
    );
    fc.assert(
      fc.property(text, fc.constantFrom(...FILE_TYPES), (given, type) => {
        const name = fileName(given, type);
        expect(codePoints(name)).toBeLessThanOrEqual(100);
        expect(name).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}/\\"]|^[. ]|\.\./u);
        expect(name).toMatch(/^.+\.(png|jpe?g|webp|gif|pdf)$/);
        expect(fileName(name, type)).toBe(name);
        const header = dispositionOf(name);
        expect(header).toMatch(/^attachment; filename="[\w .()-]+"; filename\*=UTF-8''[\w.~%-]+$/);
        expect(decodeURIComponent(header.split("''")[1]!)).toBe(name);
      }),
      { numRuns: 300 },
    );
  });
});
