import { BRAND } from '../../../kernel/brand.js';

/** No inline script or style, for a strict Content-Security-Policy. */
export const REFERENCE_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>API reference · ${BRAND}</title>
    <link rel="icon" type="image/svg+xml" href="/favicon.svg">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <link rel="stylesheet" href="/docs/brand.css">
    <script src="/docs/scheme.js"></script>
  </head>
  <body>
    <header class="brand">
      <a class="brand-home" href="/"><img src="/favicon.svg" width="26" height="26" alt=""> ${BRAND}</a>
      <span class="brand-here">API reference</span>
      <nav aria-label="Elsewhere">
        <a href="/openapi.json">OpenAPI document</a>
        <a href="/">Back to the dashboard</a>
      </nav>
    </header>
    <div id="reference"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

/** Colour scheme of the dashboard, else of the system. */
export const REFERENCE_SCHEME = `const chosen = localStorage.getItem('mantine-color-scheme-value');
const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
document.documentElement.classList.toggle('dark-mode', isDark);
`;

/** Mends Swagger UI's markup for screen readers. */
export const REFERENCE_START = `const NAMES = [
  ['#servers', 'Server'],
  ['.examples-select-element', 'Example'],
  ['.content-type', 'Media type'],
  ['select', 'Value'],
];
const REGIONS = [
  ['.information-container', 'About this API'],
  ['.scheme-container', 'Server and authorization'],
  ['.filter-container', 'Filter'],
];
function nameAll() {
  for (const [selector, name] of REGIONS) {
    for (const part of document.querySelectorAll(selector + ':not([role])')) {
      part.setAttribute('role', 'region');
      part.setAttribute('aria-label', name);
    }
  }
  for (const select of document.querySelectorAll('#reference select:not([aria-label])')) {
    const [, name] = NAMES.find(([selector]) => select.matches(selector));
    select.setAttribute('aria-label', name);
  }
  for (const heading of document.querySelectorAll('.models > h4')) heading.setAttribute('aria-level', '3');
  for (const field of document.querySelectorAll('.operation-filter-input:not([aria-label])')) {
    field.setAttribute('aria-label', 'Filter by tag');
  }
  // What scrolls is reached by the keyboard.
  for (const part of document.querySelectorAll('#reference :is(table, pre)')) {
    const isCut = part.scrollWidth > part.clientWidth || part.scrollHeight > part.clientHeight;
    if (isCut && getComputedStyle(part).overflowX !== 'visible') part.setAttribute('tabindex', '0');
    else part.removeAttribute('tabindex');
  }
}
addEventListener('resize', nameAll);
new MutationObserver(nameAll).observe(document.getElementById('reference'), { childList: true, subtree: true });

const withoutLinksInButtons = ({ React }) => ({
  wrapComponents: {
    DeepLink: () => ({ text }) => React.createElement('span', null, text),
  },
});

SwaggerUIBundle({
  plugins: [withoutLinksInButtons],
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  persistAuthorization: false,
  validatorUrl: null,
  defaultModelsExpandDepth: 0,
  docExpansion: 'none',
  filter: true,
});
`;
