export abstract class Signatures {
  /** Returns a compact JWS. Throws `OVERLOADED`. */
  abstract sign(type: string, claims: object): Promise<string>;
}
