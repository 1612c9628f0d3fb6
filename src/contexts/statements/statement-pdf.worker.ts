// Runs in a thread: imports packages alone, and only its types are stripped.
import { fileURLToPath } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import PDFDocument from 'pdfkit';

interface Head {
  readonly title: string;
  readonly author: string;
  readonly lines: readonly string[];
  readonly figures: readonly (readonly [string, string])[];
  readonly note: string;
  readonly columns: readonly string[];
  readonly footer: string;
  readonly entries: readonly number[];
  readonly hasHeadings: boolean;
}
type Row = {
  readonly heading?: string;
  readonly value?: string;
  readonly cells?: readonly (readonly [string, string])[];
};

/** Private to pdfkit, whose cache of layouts has no bound. */
interface Embedded {
  layoutCache: object;
  readonly font: { hasGlyphForCodePoint: (code: number) => boolean };
}

const MARGIN = 34;
const WIDTHS = [96, 190, 98, 152, 76, 76, 86];
const REFERENCE = 3;
const RIGHT_FROM = 4;
const ROW_HEIGHT = 21;
const COLUMNS_HEIGHT = 13;
const HEADING = 400;
const TEXT = 7.5;
const SMALL = 6.25;
const SMALLEST = 4.5;
const INK = '#14171f';
const QUIET = '#4b5263';
const RULE = '#d5d9e2';
const LAYOUTS_OF_ROWS = 500;
const MEASURED_AS_ONE = 60;
const CHARACTERS = new Intl.Segmenter('en');
const UNKNOWN = '\ufffd';

const fontOf = (file: string) => fileURLToPath(import.meta.resolve(`@expo-google-fonts/noto-sans/${file}`));
const PLAIN = fontOf('400Regular/NotoSans_400Regular.ttf');
const head = workerData as Head;
const doc = new PDFDocument({
  size: 'A4',
  layout: 'landscape',
  margin: MARGIN,
  font: PLAIN,
  info: { Title: head.title, Author: head.author },
  lang: 'en',
  displayTitle: true,
});
doc.registerFont('strong', fontOf('600SemiBold/NotoSans_600SemiBold.ttf'));
const regular = embedded();

let made: Buffer[] = [];
doc.on('data', (bytes: Buffer) => made.push(bytes));
let page = 0;
let y = 0;
let drawn = 0;
let wallet = '';

drawHead();
const pages = countPages();
drawFooter();
parentPort?.on('message', (rows: readonly Row[] | null) => {
  if (rows === null) {
    doc.on('end', () => answer());
    doc.end();
    return;
  }
  for (const row of rows) draw(row);
  answer();
});

function answer(): void {
  parentPort?.postMessage(Buffer.concat(made));
  made = [];
}

function embedded(): Embedded {
  return (doc as unknown as { _font: Embedded })._font;
}

function drawHead(): void {
  beginPage();
  doc.font('strong').fontSize(17).fillColor(INK).text(known(head.title), MARGIN, y, { lineBreak: false });
  y += 28;
  head.lines.forEach((line, place) => {
    if (place === 0) doc.font('strong').fontSize(10).fillColor(INK);
    else doc.font(PLAIN).fontSize(9).fillColor(QUIET);
    doc.text(known(line), MARGIN, y, { width: doc.page.width - 2 * MARGIN });
    y = doc.y + 1;
  });
  y += 8;
  const width = (doc.page.width - 2 * MARGIN) / head.figures.length;
  head.figures.forEach(([label, value], place) => {
    put(label, MARGIN + place * width, 8, QUIET);
    doc
      .font('strong')
      .fontSize(11)
      .fillColor(INK)
      .text(value, MARGIN + place * width, y + 12, { lineBreak: false });
  });
  y += 36;
  put(head.note, MARGIN, 8, QUIET);
  y += 20;
  drawColumns();
}

function drawColumns(): void {
  let x = MARGIN;
  head.columns.forEach((name, place) => {
    doc.font('strong').fontSize(TEXT).fillColor(INK);
    const from = place < RIGHT_FROM ? x : x + (WIDTHS[place] as number) - doc.widthOfString(name);
    doc.text(name, from, y, { lineBreak: false });
    x += WIDTHS[place] as number;
  });
  y += COLUMNS_HEIGHT;
  rule();
}

function isFull(at: number, isHeading: boolean): boolean {
  const needed = isHeading ? 2 * ROW_HEIGHT : ROW_HEIGHT;
  return at + needed > doc.page.height - MARGIN - 12;
}

/** As `draw` will fill them. */
function countPages(): number {
  let [count, at] = [1, y];
  const add = (isHeading: boolean) => {
    if (isFull(at, isHeading)) {
      count += 1;
      at = MARGIN + COLUMNS_HEIGHT;
      if (head.hasHeadings && !isHeading) at += ROW_HEIGHT;
    }
    at += ROW_HEIGHT;
  };
  for (const entries of head.entries) {
    if (head.hasHeadings) add(true);
    for (let i = 0; i < entries; i += 1) add(false);
  }
  return count;
}

function draw({ heading, value, cells }: Row): void {
  if (isFull(y, heading !== undefined)) {
    doc.addPage();
    beginPage();
    drawFooter();
    drawColumns();
    if (heading === undefined && wallet !== '') {
      drawHeading(wallet, 'continued');
      y += ROW_HEIGHT;
      rule();
    }
  }
  if (heading !== undefined) {
    wallet = heading;
    drawHeading(heading, value ?? '');
  } else {
    let x = MARGIN;
    (cells ?? []).forEach(([first, second], place) => {
      const width = WIDTHS[place] as number;
      cell(first, x, y + 2, width, place, TEXT, INK);
      if (second !== '') cell(second, x, y + 11, width, place, SMALL, QUIET);
      x += width;
    });
  }
  y += ROW_HEIGHT;
  rule();
  drawn += 1;
  if (drawn % LAYOUTS_OF_ROWS === 0) {
    regular.layoutCache = {};
  }
}

function drawHeading(name: string, beside: string): void {
  doc.font('strong').fontSize(9).fillColor(INK);
  doc.text(fitted(known(name), HEADING), MARGIN, y + 5, { lineBreak: false });
  doc.text(beside, doc.page.width - MARGIN - doc.widthOfString(beside), y + 5, { lineBreak: false });
}

function cell(
  text: string,
  x: number,
  top: number,
  width: number,
  place: number,
  size: number,
  color: string,
): void {
  if (text === '') return;
  const largest = place === REFERENCE ? SMALL : size;
  const room = width - 6;
  doc.font(PLAIN).fontSize(largest);
  if (place >= REFERENCE) {
    const share = Math.min(1, (0.99 * room) / doc.widthOfString(text));
    doc.fontSize(Math.max(share * largest, place === REFERENCE ? SMALLEST : 0));
  }
  const shown = place >= RIGHT_FROM ? text : fitted(known(text), room);
  const from = place < RIGHT_FROM ? x : x + width - doc.widthOfString(shown);
  doc.fillColor(color).text(shown, from, top, { lineBreak: false });
}

function put(text: string, x: number, size: number, color: string): void {
  doc.font(PLAIN).fontSize(size).fillColor(color).text(text, x, y, { lineBreak: false });
}

/** Measured by character: each layout is slow. */
function fitted(text: string, width: number): string {
  if (text.length <= MEASURED_AS_ONE && doc.widthOfString(text) <= width) return text;
  const room = width - doc.widthOfString('…');
  let [used, kept, cut] = [0, '', ''];
  for (const { segment } of CHARACTERS.segment(text)) {
    used += doc.widthOfString(segment);
    if (used > width) return `${cut}…`;
    kept += segment;
    if (used <= room) cut = kept;
  }
  return text;
}

function known(text: string): string {
  const { font } = regular;
  return [...text]
    .map((character) => (font.hasGlyphForCodePoint(character.codePointAt(0) as number) ? character : UNKNOWN))
    .join('');
}

function beginPage(): void {
  page += 1;
  y = MARGIN;
}

function drawFooter(): void {
  const at = doc.page.height - MARGIN + 4;
  const number = `Page ${page} of ${pages}`;
  doc.font(PLAIN).fontSize(SMALL).fillColor(QUIET);
  // pdfkit would begin another page.
  const { bottom } = doc.page.margins;
  doc.page.margins.bottom = 0;
  doc.text(head.footer, MARGIN, at, { lineBreak: false });
  doc.text(number, doc.page.width - MARGIN - doc.widthOfString(number), at, { lineBreak: false });
  doc.page.margins.bottom = bottom;
}

function rule(): void {
  doc
    .moveTo(MARGIN, y)
    .lineTo(doc.page.width - MARGIN, y)
    .lineWidth(0.4)
    .strokeColor(RULE)
    .stroke();
}
