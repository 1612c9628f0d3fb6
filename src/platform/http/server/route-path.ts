/** Decoded, without origin, query and fragment. Invalid encoding stays. */
export function routePath(address: string): string {
  const target = address.startsWith('/') ? address : address.replace(/^https?:\/\/[^/?#]*/i, '');
  const end = target.search(/[?#]/);
  const path = (end === -1 ? target : target.slice(0, end)) || '/';
  if (!path.includes('%')) return path;
  try {
    // `%2F` stays encoded.
    return decodeURI(path);
  } catch {
    return path;
  }
}
