import { codePoints, withoutIgnorable } from '../../../kernel/text.js';

export const FILE_BYTES_MAX = 5 * 1024 * 1024;
export const FILES_PER_PAYMENT = 10;
const NAME_LENGTH_MAX = 100;

/** The usual one first. */
const EXTENSIONS = {
  'image/png': ['png'],
  'image/jpeg': ['jpg', 'jpeg'],
  'image/webp': ['webp'],
  'image/gif': ['gif'],
  'application/pdf': ['pdf'],
} as const;

export type FileType = keyof typeof EXTENSIONS;

export const FILE_TYPES = Object.keys(EXTENSIONS) as FileType[];

/** By the first bytes; null: not taken. */
export function typeOf(bytes: Buffer): FileType | null {
  const begins = (signature: string, at = 0) =>
    bytes.subarray(at, at + signature.length).toString('latin1') === signature;
  if (begins('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (begins('\xff\xd8\xff')) return 'image/jpeg';
  if (begins('RIFF') && begins('WEBP', 8)) return 'image/webp';
  if (begins('GIF87a') || begins('GIF89a')) return 'image/gif';
  return begins('%PDF-') ? 'application/pdf' : null;
}

const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>:"|?*;%]+/gu;

export function fileName(given: string, type: FileType): string {
  const [usual] = EXTENSIONS[type];
  const last = given.toWellFormed().normalize('NFC').split(/[/\\]/).at(-1) ?? '';
  const clean = withoutIgnorable(last)
    .replace(UNSAFE, ' ')
    .replace(/\s+/gu, ' ')
    .replace(/\.{2,}/g, '.');
  const plain = clean.replace(/^[. ]+|[. ]+$/gu, '');
  const at = plain.lastIndexOf('.');
  const known = EXTENSIONS[type].find((each) => plain.slice(at + 1).toLowerCase() === each);
  const isNamed = at > 0 && known !== undefined;
  const stem = shortened(isNamed ? plain.slice(0, at) : plain, NAME_LENGTH_MAX - 1 - (known ?? usual).length);
  return `${stem || 'file'}.${isNamed ? known : usual}`;
}

function shortened(text: string, max: number): string {
  const short = codePoints(text) > max ? [...text].slice(0, max).join('') : text;
  return short.replace(/[. ]+$/u, '');
}

/** RFC 6266. */
export function dispositionOf(name: string): string {
  const ascii = name.replace(/[^\w .()-]+/g, '_');
  const encoded = encodeURIComponent(name).replace(
    /['()*!]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
