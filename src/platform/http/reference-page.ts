import { BRAND } from '../../kernel/brand.js';

/** No script and no style stands in the page itself, so that it works under a strict Content-Security-Policy. */
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

/** Before anything is drawn: the scheme chosen in the dashboard, else that of the system. */
export const REFERENCE_SCHEME = `const chosen = localStorage.getItem('mantine-color-scheme-value');
const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
document.documentElement.classList.toggle('dark-mode', isDark);
`;

/**
 * Swagger UI, and what its markup lacks for a screen reader: a button has no link within it, regions and choices have
 * names, and the headings go down one by one.
 */
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

/** The dashboard's typeface, colours and shapes on the reference; without `font`, its address, that of the system. */
export function referenceStyle(font: string | null): string {
  const face = `@font-face { font-family: 'Inter Variable'; font-weight: 400 700; font-display: swap; src: url('${font}') format('woff2'); }`;
  return font ? `${face}\n${STYLE}` : STYLE;
}

const STYLE = `:root {
  --ink: #232f63;
  --ink-text: #171f45;
  --page: #fafbfd;
  --surface: #fff;
  --line: #e3e6ee;
  --dim: #5b6274;
  --tint: #eceff8;
}
html.dark-mode body,
html.dark-mode .swagger-ui,
html.dark-mode #reference {
  background: var(--page);
}
html.dark-mode {
  --ink: #5568bd;
  --ink-text: #e7e9f0;
  --page: #12141b;
  --surface: #171922;
  --line: #2b303d;
  --dim: #a3a9ba;
  --tint: #232a42;
}
body {
  margin: 0;
  background: var(--page);
  color: var(--ink-text);
  font-family: 'Inter Variable', Inter, system-ui, sans-serif;
}
.brand {
  display: flex;
  align-items: center;
  gap: 12px;
  flex-wrap: wrap;
  padding: 12px 24px;
  background: var(--surface);
  border-bottom: 1px solid var(--line);
}
.brand a {
  color: var(--ink-text);
  text-decoration: none;
  min-height: 44px;
  display: inline-flex;
  align-items: center;
  gap: 10px;
}
.brand a:hover {
  text-decoration: underline;
}
.brand-home {
  font-weight: 600;
}
.brand-here {
  color: var(--dim);
}
.brand nav {
  display: flex;
  gap: 24px;
  margin-left: auto;
}
@media (max-width: 640px) {
  .brand {
    padding: 4px 16px;
  }
  .brand-here,
  .brand nav a:first-child {
    display: none;
  }
  .swagger-ui .wrapper {
    padding-inline: 16px;
  }
  .swagger-ui .opblock-summary-path,
  .swagger-ui .opblock-body pre,
  .swagger-ui .responses-inner {
    overflow-wrap: anywhere;
    word-break: break-word;
    max-width: 100%;
  }
  .swagger-ui table.responses-table,
  .swagger-ui table.parameters {
    display: block;
    overflow-x: auto;
  }
}
.swagger-ui,
.swagger-ui .info,
.swagger-ui .info :is(p, h1, h2, h3, h4, h5, li, table, td, th, a),
.swagger-ui .renderedMarkdown :is(p, h1, h2, h3, h4, h5, li, table, td, th),
.swagger-ui .opblock .opblock-summary-description,
.swagger-ui .opblock-description-wrapper p,
.swagger-ui .response-col_description,
.swagger-ui .info .title,
.swagger-ui .opblock-tag,
.swagger-ui .opblock .opblock-section-header h4,
.swagger-ui table thead tr td,
.swagger-ui table thead tr th,
.swagger-ui .btn,
.swagger-ui .tab li,
.swagger-ui .parameter__name,
.swagger-ui .response-col_status {
  font-family: inherit;
}
.swagger-ui .info .title,
.swagger-ui .opblock-tag,
.swagger-ui .opblock .opblock-summary-method {
  font-weight: 600;
}
.swagger-ui .info .title {
  font-size: 28px;
  color: var(--ink-text);
}
.swagger-ui .info h2 {
  font-size: 18px;
  font-weight: 600;
  margin: 28px 0 8px;
  color: var(--ink-text);
}
.swagger-ui .info :is(p, li, td) {
  line-height: 1.55;
}
.swagger-ui .info .title small {
  display: none;
}
.swagger-ui :is(.info, .renderedMarkdown, .markdown) code {
  padding: 1px 5px;
  border-radius: 4px;
  background: var(--tint);
  color: var(--ink-text);
  font-weight: 500;
  overflow-wrap: anywhere;
}
.swagger-ui .info table,
.swagger-ui .renderedMarkdown table {
  display: block;
  overflow-x: auto;
}
.swagger-ui .info :is(th, td) {
  padding-right: 16px;
  min-width: 120px;
}
.swagger-ui .parameter__in {
  color: var(--dim);
}
.swagger-ui .opblock-tag {
  border-bottom-color: var(--line);
}
.swagger-ui .scheme-container {
  background: transparent;
  box-shadow: none;
  border-block: 1px solid var(--line);
}
.swagger-ui .opblock,
.swagger-ui .opblock .opblock-summary,
.swagger-ui .model-container,
.swagger-ui section.models {
  border-radius: 8px;
  box-shadow: none;
}
.swagger-ui .opblock.opblock,
.swagger-ui .opblock.opblock .opblock-summary,
.swagger-ui section.models {
  background: var(--surface);
  border-color: var(--line);
}
.swagger-ui .opblock.opblock .opblock-summary-method {
  background: var(--ink);
  border-radius: 6px;
  text-shadow: none;
}
.swagger-ui .opblock.opblock-delete.opblock-delete .opblock-summary-method {
  background: #a61e2e;
}
.swagger-ui .btn.authorize,
.swagger-ui .btn.execute {
  color: #fff;
  background: var(--ink);
  border-color: var(--ink);
  box-shadow: none;
}
html .swagger-ui .btn.btn.authorize span {
  color: #fff;
}
.swagger-ui .btn.authorize svg {
  fill: #fff;
}
/* Numbers in examples. */
.swagger-ui .highlight-code span[style*='211, 99, 99'],
.swagger-ui .example span[style*='211, 99, 99'] {
  color: #f2a0a0 !important;
}
.swagger-ui .info a,
.swagger-ui .renderedMarkdown a {
  color: var(--ink-text);
  text-decoration: underline;
}
.swagger-ui :focus-visible,
.brand a:focus-visible {
  outline: 2px solid var(--ink);
  outline-offset: 2px;
}
`;
