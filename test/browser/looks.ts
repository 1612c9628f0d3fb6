import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

/** What a page is loaded at comes first; then the window is drawn to the others. */
export const SIZES = {
  '1280': { width: 1280, height: 900 },
  '1440': { width: 1440, height: 900 },
  '768': { width: 768, height: 1000 },
  '375': { width: 375, height: 740 },
} as const;
export type Size = keyof typeof SIZES;
/** Not in every run: between others. */
const ONLY_PICTURED: ReadonlySet<Size> = new Set(['1440', '768']);

/** The sizes of which a picture is kept, for people to look at: PICTURES=1280,375, say; none unless told. */
const PICTURED = new Set(process.env.PICTURES?.split(','));

/** What is past the edge of the window, or hidden by a box around it without a sign that there is more. */
const CUT = `(() => {
  const scrolls = (style) => /auto|scroll/.test(style.overflowX);
  const shown = (element) => {
    const { width, height } = element.getBoundingClientRect();
    return width > 1 && height > 1 && element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  };
  const problems = [];
  // What is fixed, such as the header, widens no document.
  const wide = Math.max(document.documentElement.scrollWidth,
    ...[...document.querySelectorAll('header button')].map((each) => each.getBoundingClientRect().right));
  if (wide > innerWidth) problems.push('the page is ' + wide + ' wide');
  const whole = '.money, .tag, button, label, h1, h2, th, dt, .mantine-Tabs-tab';
  for (const element of document.querySelectorAll(whole)) {
    if (!shown(element) || element.closest('.mantine-VisuallyHidden-root, .spend-table thead')) continue;
    const { left, right } = element.getBoundingClientRect();
    const frame = element.closest('.figure, .card, [role=dialog]')?.getBoundingClientRect();
    if (element.matches('.money') && frame && right > frame.right)
      problems.push('past its frame: ' + element.textContent);
    for (let box = element; box && box !== document.body; box = box.parentElement) {
      const style = getComputedStyle(box);
      if (scrolls(style)) break;
      if (style.overflowX === 'visible') continue;
      const edge = box.getBoundingClientRect();
      const isCut = box === element ? box.scrollWidth > box.clientWidth + 1 : right > edge.right + 1 || left < edge.left - 1;
      if (isCut) problems.push((element.className || element.tagName) + ' is cut: ' + element.textContent.slice(0, 60));
    }
  }
  // Text that ends without a sign that there is more.
  for (const element of document.querySelectorAll('main *, [role=dialog] *')) {
    const style = getComputedStyle(element);
    const isClipped = style.overflowX === 'hidden' && style.textOverflow !== 'ellipsis';
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (isClipped && hasText && shown(element) && element.scrollWidth > element.clientWidth + 1)
      problems.push(element.tagName + ' cuts: ' + element.textContent.slice(0, 60));
  }
  // A figure with its whole line to itself, below others that share theirs.
  for (const list of document.querySelectorAll('.hero-facts')) {
    const lines = Map.groupBy(list.children, (fact) => Math.round(fact.getBoundingClientRect().top));
    for (const line of lines.values())
      if (lines.size > 1 && line.length === 1) problems.push('alone in its line: ' + line[0].textContent);
  }
  for (const field of document.querySelectorAll('input[inputmode=decimal]'))
    if (shown(field) && field.scrollWidth > field.clientWidth) problems.push('a field cuts: ' + field.value);
  for (const field of document.querySelectorAll('input[type=date], input[type=datetime-local]'))
    problems.push('a date in the words of the browser: ' + field.outerHTML);
  return problems;
})()`;

/** Axe looks at each screen once in each theme: the narrow layout in one and the wide one in the other. */
export const SCHEMES = { light: '375', dark: '1280' } as const satisfies Record<string, Size>;
export type Scheme = keyof typeof SCHEMES;

/** The dark ones begin where the light ones ended. */
const ORDER: Readonly<Record<Scheme, readonly Size[]>> = {
  light: ['1280', '1440', '768', '375'],
  dark: ['375', '768', '1440', '1280'],
};

/** What observes sizes and the scheme has drawn again, and what slides has arrived. */
const AT_REST = `(async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  await frame();
  await frame();
  const moving = document.getAnimations().filter(({ effect }) => effect?.getTiming().iterations !== Infinity);
  await Promise.allSettled(moving.map(({ finished }) => finished));
  await frame();
})()`;
const AGAIN_MS = 300;

/** How much taller the window must be for all of a dialog, which takes nine tenths of it. */
const HIDDEN_BELOW = `Math.ceil(1.2 * Math.max(0, ...[...document.querySelectorAll('[role=dialog]')].map(
  (dialog) => dialog.scrollHeight - dialog.clientHeight)))`;

interface Look {
  readonly name: string;
  /** The one that the page is in. */
  readonly scheme: Scheme;
  /** The window is pictured instead of the whole page, as a dialog stands in it. */
  readonly isWindow: boolean;
  /** Axe looks at this part alone. */
  readonly axeAt: string;
  /** Its parts are tried on other screens: it is drawn once in each scheme. */
  readonly isBrief?: boolean;
}

/** Holds what is on the page to its sizes, in one scheme, and keeps pictures. */
export async function lookAt(
  page: Page,
  { name, scheme, isWindow, axeAt, isBrief = false }: Look,
): Promise<void> {
  for (const size of ORDER[scheme]) {
    const isTried = isBrief ? size === SCHEMES[scheme] : !ONLY_PICTURED.has(size);
    if (!isTried && !PICTURED.has(size)) continue;
    await page.setViewportSize(SIZES[size]);
    await page.evaluate(AT_REST);
    let problems = await page.evaluate(CUT);
    if ((problems as unknown[]).length > 0) {
      // Some parts follow the window after a moment.
      await page.waitForTimeout(AGAIN_MS);
      problems = await page.evaluate(CUT);
    }
    expect.soft(problems, `${name} at ${size}, ${scheme}`).toEqual([]);
    if (PICTURED.has(size)) {
      // The header is fixed: a picture of the whole page shows it where the page was scrolled to.
      await page.evaluate('window.scrollTo(0, 0)');
      // What scrolls within a dialog is pictured too: the window is as tall as all of it.
      const { width, height } = SIZES[size];
      const more: number = await page.evaluate(HIDDEN_BELOW);
      if (more > 0) await page.setViewportSize({ width, height: height + more });
      await page.screenshot({ path: `dist/screens/${name}-${scheme}-${size}.png`, fullPage: !isWindow });
      if (more > 0) await page.setViewportSize(SIZES[size]);
    }
    if (size === SCHEMES[scheme]) await hasNoFinding(page, `${name}, ${scheme}`, axeAt);
  }
}

/** Holds what is on the page to its sizes in both schemes, and leaves it light and 1280 wide. */
export async function looksRight(page: Page, name: string, isWindow: boolean): Promise<void> {
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await lookAt(page, { name, scheme, isWindow, axeAt: isWindow ? '[role=dialog]' : 'html' });
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(SIZES['1280']);
}

/** Stands for axe's source where the page has it already: it is half a megabyte, and takes a second to evaluate. */
const NOTHING = ';';

async function hasNoFinding(page: Page, name: string, part: string): Promise<void> {
  const axeSource: string | undefined = (await page.evaluate(`'axe' in window`)) ? NOTHING : undefined;
  const { violations } = await new AxeBuilder({ page, ...(axeSource && { axeSource }) })
    // In the page itself, instead of beside it in another that is opened for it: there are no frames.
    .setLegacyMode()
    // Every rule is tried; of what passes no list is written.
    .options({ resultTypes: ['violations'] })
    .include(part)
    .analyze();
  const findings = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, any }) => `${id}: ${html.slice(0, 160)} ${any[0]?.message ?? ''}`),
  );
  expect.soft(findings, `${name} has no finding`).toEqual([]);
}
