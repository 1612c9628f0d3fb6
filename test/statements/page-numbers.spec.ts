import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PdfDrawing } from '../../src/contexts/statements/pdf-drawing.js';
import type { PdfHead } from '../../src/contexts/statements/statement-files.domain.js';
import { textsOf } from './pdf-texts.js';

const ENTRY = { cells: Array.from({ length: 7 }, () => ['x', ''] as const) };

/** Draws wallets of so many entries each; answers what the pages say, and how many there are. */
async function drawn(
  entries: readonly number[],
  hasHeadings: boolean,
): Promise<{ says: string[]; pages: number }> {
  const head: PdfHead = {
    title: 'Statement for May 2026',
    author: 'Ada Logistics Ltd',
    lines: ['Ada Logistics Ltd', 'All wallets', '1 May 2026 to 1 June 2026', `${entries.length} wallets`],
    figures: [['Opening balance', '₦0.00']],
    note: 'This statement is signed.',
    columns: ['Date and time', 'Details', 'Key', 'Bank reference', 'In', 'Out', 'Balance'],
    footer: 'A statement',
    ...{ entries, hasHeadings },
  };
  const drawing = PdfDrawing.start(head);
  try {
    const parts: Uint8Array[] = [];
    for (const [i, count] of entries.entries()) {
      if (hasHeadings) parts.push(await drawing.draw([{ heading: `Wallet ${i}`, value: '' }]));
      parts.push(await drawing.draw(Array<typeof ENTRY>(count).fill(ENTRY)));
    }
    const pdf = Buffer.concat([...parts, await drawing.end()]);
    const says = textsOf(pdf).flatMap((text) => text.match(/^Page \d.*$/gm) ?? []);
    return { says, pages: pdf.toString('latin1').match(/\/Type \/Page\n/g)?.length ?? 0 };
  } finally {
    await drawing.close();
  }
}

const numbered = (pages: number) => Array.from({ length: pages }, (_, i) => `Page ${i + 1} of ${pages}`);

it('each page says which of how many it is, up to a full page and beyond', async () => {
  const expected: [entries: number, pages: number][] = [
    [0, 1],
    [16, 1],
    [17, 2],
    [39, 2],
    [40, 3],
    [200, 9],
  ];
  for (const [entries, pages] of expected) {
    expect(await drawn([entries], false)).toEqual({ says: numbered(pages), pages });
  }
});

it('each page says so whatever entries the wallets have, under headings that are repeated', async () => {
  const wallets = fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(wallets, async (entries) => {
      const { says, pages } = await drawn(entries, true);
      expect(says).toEqual(numbered(pages));
    }),
    { numRuns: 8 },
  );
}, 60_000);
