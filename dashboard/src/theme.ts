import { createTheme, type CSSVariablesResolver } from '@mantine/core';

export const theme = createTheme({
  primaryColor: 'teal',
  primaryShade: 9,
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, "DejaVu Sans Mono", monospace',
  headings: { fontWeight: '650', sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.0625rem' } } },
});

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
    '--good': '#087f5b',
    '--bad': '#c92a2a',
  },
  dark: {
    '--mantine-color-body': '#1b1d1f',
    '--mantine-color-dimmed': '#a6adb4',
    '--mantine-color-placeholder': '#8f979e',
    '--mantine-color-error': '#ff8787',
    '--mantine-color-anchor': '#63e6be',
    '--mantine-color-default-border': '#34383c',
    '--page': '#131416',
    '--good': '#63e6be',
    '--bad': '#ff8787',
  },
});
