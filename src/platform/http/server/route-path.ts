/**
 * The path of a request's address as the router reads it: without `http://host`, the query and the fragment, and
 * decoded. What is not validly encoded has no route, and stays as it is.
 */
export function routePath(address: string): string {
  const target = address.startsWith('/') ? address : address.replace(/^https?:\/\/[^/?#]*/i, '');
  const end = target.search(/[?#]/);
  const path = (end === -1 ? target : target.slice(0, end)) || '/';
  if (!path.includes('%')) return path;
  try {
    // Reserved characters stay encoded, so that `%2F` divides nothing.
    return decodeURI(path);
  } catch {
    return path;
  }
}
