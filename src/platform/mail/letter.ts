import { BRAND } from '../../kernel/brand.js';
import type { Message } from './mail.js';

/** Contents of a mail; every text is plain. */
export interface Letter {
  readonly to: string;
  readonly subject: string;
  readonly paragraphs: readonly string[];
  /** Label and value, one a line. */
  readonly facts?: readonly (readonly [label: string, value: string])[];
  readonly action?: { readonly label: string; readonly url: string };
  /** Below the action. */
  readonly closing?: readonly string[];
}

/** Lays a letter out as HTML with plain text beside it: no script, no remote file, readable on light and dark. */
export function laidOut({ to, subject, paragraphs, facts = [], action, closing = [] }: Letter): Message {
  const text = [
    paragraphs.join('\n\n'),
    facts.map(([label, value]) => `${label}: ${value}`).join('\n'),
    action ? `${action.label}:\n${action.url}` : '',
    closing.join('\n\n'),
  ].filter((part) => part !== '');
  return {
    to,
    subject: oneLine(subject),
    text: text.join('\n\n'),
    html: pageOf(
      subject,
      [
        ...paragraphs.map(paragraph),
        facts.length > 0 ? `<table role="presentation" class="facts">${facts.map(row).join('')}</table>` : '',
        action
          ? `<p><a class="action" href="${escaped(action.url)}">${escaped(action.label)}</a></p>` +
            `<p class="quiet">${escaped(action.url)}</p>`
          : '',
        ...closing.map(paragraph),
      ].join(''),
    ),
  };
}

const STYLE = `body{margin:0;padding:24px 12px;background:#f6f7fa;color:#14171f}
main{max-width:560px;margin:0 auto;padding:28px;background:#fff;border:1px solid #e2e5ec;border-radius:12px}
body,a,td{font:16px/1.5 -apple-system,'Segoe UI',Roboto,Arial,sans-serif}
h1{margin:0 0 16px;font-size:20px;line-height:1.3}p{margin:0 0 16px;overflow-wrap:anywhere}
.brand{font-weight:600;color:#4b5263}.facts{width:100%;margin:0 0 20px;border-collapse:collapse}
.facts td{padding:8px 0;border-top:1px solid #e2e5ec;vertical-align:top;overflow-wrap:anywhere}
.facts td:first-child{width:38%;padding-right:12px;color:#4b5263}
.action{display:inline-block;padding:12px 20px;border-radius:8px;background:#232f63;color:#fff;text-decoration:none;font-weight:600}
.quiet{font-size:13px;color:#4b5263}
@media(prefers-color-scheme:dark){body{background:#0f1116;color:#eceef3}main{background:#181b22;border-color:#2c313c}
.facts td{border-color:#2c313c}.brand,.quiet,.facts td:first-child{color:#a9b0bf}.action{background:#5568bd}}`;

function pageOf(subject: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>${escaped(subject)}</title><style>${STYLE}</style></head>
<body><main><p class="brand">${BRAND}</p><h1>${escaped(subject)}</h1>${body}</main></body></html>`;
}

function paragraph(text: string): string {
  return `<p>${escaped(text)}</p>`;
}

function row([label, value]: readonly [string, string]): string {
  return `<tr><td>${escaped(label)}</td><td>${escaped(value)}</td></tr>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}

/** A line break would begin another header. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
