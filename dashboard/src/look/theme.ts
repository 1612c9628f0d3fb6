import type { FocusEvent } from 'react';
import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core';

/** The one colour of the brand: a deep ink. Green says success and nothing else. */
const ink: MantineColorsTuple = [
  '#f1f3fb',
  '#e2e6f6',
  '#c2caea',
  '#a0ace0',
  '#7f8fd4',
  '#5568bd',
  '#43549f',
  '#33437f',
  '#232f63',
  '#171f45',
];

/** The greys of the dark scheme, with a breath of the same ink. */
const dark: MantineColorsTuple = [
  '#e7e9f0',
  '#c3c8d5',
  '#a3a9ba',
  '#8b92a5',
  '#3a4050',
  '#2b303d',
  '#1f222d',
  '#171922',
  '#12141b',
  '#0f1117',
];

/** Mantine's red, with a shade for buttons in the dark that white is readable on. */
const red: MantineColorsTuple = [
  '#fff5f5',
  '#ffe3e3',
  '#ffc9c9',
  '#ffa8a8',
  '#ff8787',
  '#c93a35',
  '#fa5252',
  '#f03e3e',
  '#c92a2a',
  '#b02525',
];

/** Gets the focus of a dialog without `data-autofocus`; once left, Tab passes it by. */
const title = {
  tabIndex: 0,
  onBlur: ({ currentTarget }: FocusEvent<HTMLElement>) => {
    currentTarget.tabIndex = -1;
  },
};

const dialog = {
  closeButtonProps: { 'aria-label': 'Close' },
  classNames: { title: 'dialog-title' },
  overlayProps: { backgroundOpacity: 0.35 },
  // The page has one banner, and that is not the head of a dialog.
  attributes: { header: { role: 'presentation' }, title },
};

export const theme = createTheme({
  colors: { ink, dark, red },
  primaryColor: 'ink',
  primaryShade: { light: 8, dark: 5 },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: '"Inter Variable", "Inter fallback", system-ui, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, "DejaVu Sans Mono", monospace',
  components: {
    // A list of choices is measured when it opens, not when the screen is drawn.
    Combobox: { defaultProps: { keepMounted: false } },
    Modal: { defaultProps: { ...dialog, yOffset: 'clamp(5dvh, (100dvh - 480px) / 3, 15dvh)' } },
    Drawer: { defaultProps: dialog },
    // Its placeholder for the focus is no child that a menu may have: the first item takes the focus.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Button: { styles: { label: { fontWeight: 500 } } },
    InputWrapper: { styles: { label: { marginBottom: 4 } } },
  },
  headings: {
    fontWeight: '600',
    sizes: { h1: { fontSize: '1.5rem', lineHeight: '1.35' }, h2: { fontSize: '1rem', lineHeight: '1.5' } },
  },
});

/** Mantine's tinted alerts and badges take the tints of the tags. */
const TINTS = {
  '--mantine-color-ink-light': 'var(--info-tint)',
  '--mantine-color-ink-light-color': 'var(--info-ink)',
  '--mantine-color-green-light': 'var(--good-tint)',
  '--mantine-color-green-light-color': 'var(--good-ink)',
  '--mantine-color-red-light': 'var(--bad-tint)',
  '--mantine-color-red-light-color': 'var(--bad-ink)',
  '--mantine-color-yellow-light': 'var(--wait-tint)',
  '--mantine-color-yellow-light-color': 'var(--wait-ink)',
};

/** Every colour, light and dark; text is readable (AA) on the page and on a card. */
export const resolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#ffffff',
    '--mantine-color-text': '#171a26',
    '--mantine-color-dimmed': '#5a6072',
    '--mantine-color-placeholder': '#6d7385',
    '--mantine-color-error': '#b3261e',
    '--mantine-color-anchor': '#33437f',
    '--mantine-color-default-border': '#d9dce5',
    '--page': '#f6f7fa',
    '--line': '#e8eaf0',
    '--spend': '#33437f',
    '--bar': 'var(--mantine-color-gray-2)',
    '--spend-before': '#a9b3dd',
    '--skeleton-card': '#e4e7ee',
    ...TINTS,
    '--info-tint': '#e9ecf8',
    '--info-ink': '#2b3a78',
    '--good-tint': '#e2f5ea',
    '--good-ink': '#0a5c3a',
    '--bad-tint': '#fdecea',
    '--bad-ink': '#9c2119',
    '--wait-tint': '#fdf2d8',
    '--wait-ink': '#734d00',
    '--calm-tint': '#eef0f4',
    '--calm-ink': '#474d5e',
    '--good': '#0a7a4b',
    '--bad': '#b3261e',
  },
  dark: {
    '--mantine-color-body': '#171922',
    '--mantine-color-text': '#e7e9f0',
    '--mantine-color-dimmed': '#a3a9ba',
    '--mantine-color-placeholder': '#8b92a5',
    '--mantine-color-error': '#ff8f87',
    '--mantine-color-anchor': '#aab6f2',
    '--mantine-color-default': '#1f222d',
    '--mantine-color-default-hover': '#262a37',
    '--mantine-color-default-border': '#353a49',
    '--page': '#0f1117',
    '--line': '#272b37',
    '--spend': '#8797e0',
    '--bar': 'var(--mantine-color-dark-4)',
    '--spend-before': '#5a6599',
    '--skeleton-card': '#2b303d',
    ...TINTS,
    '--info-tint': '#252c4b',
    '--info-ink': '#b9c4f7',
    '--good-tint': '#12352a',
    '--good-ink': '#7fe3b4',
    '--bad-tint': '#421f1f',
    '--bad-ink': '#ffaaa3',
    '--wait-tint': '#3b3015',
    '--wait-ink': '#fbd67c',
    '--calm-tint': '#2a2e3b',
    '--calm-ink': '#c3c8d5',
    '--good': '#5fd49f',
    '--bad': '#ff8f87',
  },
});
