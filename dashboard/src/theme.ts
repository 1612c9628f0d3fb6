import { createTheme, type CSSVariablesResolver } from '@mantine/core';

const dialog = { closeButtonProps: { 'aria-label': 'Close' }, classNames: { title: 'dialog-title' } };

export const theme = createTheme({
  primaryColor: 'teal',
  primaryShade: 9,
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, "DejaVu Sans Mono", monospace',
  components: {
    Modal: { defaultProps: dialog },
    Drawer: { defaultProps: dialog },
  },
  headings: { fontWeight: '650', sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.0625rem' } } },
});

/** Mantine's tinted alerts and badges take the tints of the tags. */
const TINTS = {
  '--mantine-color-teal-light': 'var(--good-tint)',
  '--mantine-color-teal-light-color': 'var(--good-ink)',
  '--mantine-color-red-light': 'var(--bad-tint)',
  '--mantine-color-red-light-color': 'var(--bad-ink)',
  '--mantine-color-yellow-light': 'var(--wait-tint)',
  '--mantine-color-yellow-light-color': 'var(--wait-ink)',
};

/** Quiet text and messages dark or light enough to be read (AA) on the page and on a card. */
export const resolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#ffffff',
    '--mantine-color-dimmed': '#565d64',
    '--mantine-color-placeholder': '#6c737a',
    '--mantine-color-error': '#c92a2a',
    '--mantine-color-anchor': '#087f5b',
    '--page': '#f6f7f8',
    '--line': '#e6e8eb',
    ...TINTS,
    '--good-tint': '#e3f6ef',
    '--good-ink': '#05614a',
    '--bad-tint': '#fdeaea',
    '--bad-ink': '#a31d1d',
    '--wait-tint': '#fdf3d8',
    '--wait-ink': '#7a5200',
    '--calm-tint': '#edeff1',
    '--calm-ink': '#474d53',
    '--good': '#087f5b',
    '--bad': '#c92a2a',
  },
  dark: {
    '--mantine-color-body': '#1b1d1f',
    '--mantine-color-text': '#e4e7ea',
    '--mantine-color-dimmed': '#a6adb4',
    '--mantine-color-placeholder': '#8f979e',
    '--mantine-color-error': '#ff8787',
    '--mantine-color-anchor': '#63e6be',
    '--mantine-color-default-border': '#34383c',
    '--page': '#131416',
    '--line': '#2c3034',
    ...TINTS,
    '--good-tint': '#12352b',
    '--good-ink': '#7ee8c4',
    '--bad-tint': '#421d1f',
    '--bad-ink': '#ffa8a8',
    '--wait-tint': '#3c3114',
    '--wait-ink': '#ffd97a',
    '--calm-tint': '#2c3034',
    '--calm-ink': '#c1c7cd',
    '--good': '#63e6be',
    '--bad': '#ff8787',
  },
});
