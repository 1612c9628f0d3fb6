/** The dashboard's look; `font` is its address, absent: the system's. */
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
  .swagger-ui table.responses-table {
    display: block;
    overflow-x: auto;
  }
  /* No response links to another one. */
  .swagger-ui .responses-table .response-col_links {
    display: none;
  }
  /* Beside each other, columns would have a word to a line: the cells of a row follow one another. */
  .swagger-ui :is(.info, .renderedMarkdown, .parameters-container) table thead {
    display: none;
  }
  .swagger-ui :is(.info, .renderedMarkdown, .parameters-container) table tbody {
    display: block;
  }
  .swagger-ui :is(.info, .renderedMarkdown, .parameters-container) table tbody tr {
    display: flex;
    flex-wrap: wrap;
    gap: 2px 12px;
    padding: 8px 0;
    border-bottom: 1px solid var(--line);
  }
  .swagger-ui :is(.info, .renderedMarkdown, .parameters-container) table tbody tr td:is(td, :first-of-type) {
    min-width: 0;
    max-width: 100%;
    padding: 0;
  }
  .swagger-ui :is(.info, .renderedMarkdown) table tbody tr td:first-child {
    font-weight: 600;
  }
  .swagger-ui :is(.info, .renderedMarkdown, .parameters-container) table tbody tr td:last-child {
    flex-basis: 100%;
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
.swagger-ui table.headers td {
  color: inherit;
  font-family: inherit;
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
