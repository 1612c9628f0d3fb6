/** Default name: the part before the @, if long enough. */
export function nameFromEmail(email: string): string {
  const local = email.slice(0, email.lastIndexOf('@'));
  return [...local].length >= 2 ? local : email;
}
