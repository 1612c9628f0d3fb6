const NAMES = [
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
