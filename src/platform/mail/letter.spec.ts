import { expect, it } from '@jest/globals';
import { laidOut } from './letter.js';

const LETTER = {
  to: 'ada@example.ng',
  subject: 'Approve ₦2,500.00?',
  paragraphs: ['Your agent asks.'],
  facts: [['Pay', 'Jumia & Sons']] as const,
  action: { label: 'Open', url: 'https://wallets.example.ng/approvals?id=1&x=2' },
  closing: ['It expires at 12:00.'],
};

it('a letter is plain text and HTML that say the same', () => {
  const { text, html } = laidOut(LETTER);
  expect(text).toBe(
    [
      'Your agent asks.',
      'Pay: Jumia & Sons',
      'Open:\nhttps://wallets.example.ng/approvals?id=1&x=2',
      'It expires at 12:00.',
    ].join('\n\n'),
  );
  expect(html).toContain('<td>Jumia &amp; Sons</td>');
  expect(html).toContain('href="https://wallets.example.ng/approvals?id=1&amp;x=2"');
});

it('a letter loads nothing and runs nothing, whatever names it holds', () => {
  const evil = `"><img src=x onerror=alert(1)><script>'`;
  const { html = '', subject } = laidOut({
    ...LETTER,
    subject: `${evil}\r\nBcc: all@example.ng`,
    paragraphs: [evil],
    facts: [[evil, evil]],
  });
  expect(html).not.toMatch(/<(?!\/?(?:!doctype|html|head|meta|title|style|body|main|p|h1|table|tr|td|a)\b)/i);
  expect(html).not.toMatch(/url\(|@import|\bsrc=(?!x onerror)/);
  expect(subject).not.toMatch(/[\r\n]/);
});
