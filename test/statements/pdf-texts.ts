import { inflateSync } from 'node:zlib';

/** All text of a PDF, once by the letters of each of its fonts. */
export function textsOf(pdf: Buffer): string[] {
  const bytes = pdf.toString('latin1');
  const streams = [...bytes.matchAll(/\/FlateDecode[^>]*>>\s*stream\n([\s\S]*?)\nendstream/g)].map(
    ([, stream = '']) => inflateSync(Buffer.from(stream, 'latin1')).toString('latin1'),
  );
  const fonts = streams.filter((stream) => stream.includes('beginbfrange'));
  const shown = streams
    .flatMap((stream) => [...stream.matchAll(/\[(.*?)\] TJ/g)])
    .map(([, text = '']) => text);
  return fonts.map((font) => {
    const letters = [...font.matchAll(/<([0-9a-f]+)> <[0-9a-f]+> \[(.*?)\]/gs)].flatMap(
      ([, first = '', named = '']) =>
        // A ligature has several.
        [...named.matchAll(/<([0-9a-f ]+)>/g)].map(([, codes = ''], i) => {
          const bytes = Buffer.from(codes.replaceAll(' ', ''), 'hex');
          return [parseInt(first, 16) + i, bytes.swap16().toString('utf16le')] as const;
        }),
    );
    const letterOf = new Map(letters);
    return shown
      .map((text) =>
        [...text.matchAll(/<([0-9a-f]+)>/g)]
          .flatMap(([, glyphs = '']) => glyphs.match(/.{4}/g) ?? [])
          .map((glyph) => letterOf.get(parseInt(glyph, 16)) ?? '')
          .join(''),
      )
      .join('\n');
  });
}
