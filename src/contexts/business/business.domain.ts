/** The name of a business made by sign-up: what stands before the @ when that has 2 or more characters. */
export function nameFromEmail(email: string): string {
  const local = email.slice(0, email.lastIndexOf('@'));
  return [...local].length >= 2 ? local : email;
}
