import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM; each secret is bound to its owner. Seals under the first master and opens under all. */
export class SecretBox {
  private readonly keys: readonly Buffer[];

  /** Derives a key for `purpose` from each of `masters`, newest first. */
  constructor(masters: readonly string[], purpose: string) {
    this.keys = masters.map((master) => Buffer.from(hkdfSync('sha256', master, '', purpose, 32)));
  }

  seal(secret: string, owner: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.keys[0] as Buffer, nonce).setAAD(Buffer.from(owner));
    const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64');
  }

  /** Null: no key of these, another owner, or tampered with. */
  open(sealed: string, owner: string): string | null {
    return this.openedBy(sealed, owner)?.secret ?? null;
  }

  /** Sealed again under the first master; unchanged if it is so already, null if it can't be opened. */
  reseal(sealed: string, owner: string): string | null {
    const opened = this.openedBy(sealed, owner);
    if (!opened) return null;
    return opened.key === 0 ? sealed : this.seal(opened.secret, owner);
  }

  private openedBy(sealed: string, owner: string): { secret: string; key: number } | null {
    const bytes = Buffer.from(sealed, 'base64');
    if (bytes.length <= NONCE_BYTES + TAG_BYTES) return null;
    for (const [key, bits] of this.keys.entries()) {
      const decipher = createDecipheriv('aes-256-gcm', bits, bytes.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(owner))
        .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      try {
        const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
        return { secret: Buffer.concat([text, decipher.final()]).toString('utf8'), key };
      } catch {
        // Sealed under another.
      }
    }
    return null;
  }
}
