/** What others may ask of businesses. */
export abstract class Businesses {
  /** The business of a user, or null. */
  abstract idOf(userId: string): Promise<string | null>;
}
