/** What the service says in half a sentence, such as `must be …`, as one that stands alone. */
export function asSentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
