import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** What the service asks a browser for; the rest of its options does not matter to this device. */
export interface PasskeyOptions {
  readonly challenge: string;
  readonly rp?: { readonly id: string };
  readonly rpId?: string;
  readonly allowCredentials?: readonly { readonly id: string }[];
}

interface Said {
  /** The site that the browser shows. */
  readonly origin: string;
  readonly rpId: string;
  readonly isVerified: boolean;
  /** Uses that the device claims to have counted. */
  readonly counter: number;
  readonly credentialId: Buffer;
}

const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest();
const base64 = (data: Buffer | string) => Buffer.from(data).toString('base64url');
const text = (value: string) => Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)]);
/** In CBOR, fewer than 256. */
const bytes = (value: Buffer) => Buffer.concat([Buffer.from([0x58, value.length]), value]);

/** A passkey of one site, as a phone or a security key holds it: one P-256 key, no attestation. */
export class PasskeyDevice {
  readonly id = randomBytes(32);
  counter = 0;
  private readonly keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });

  constructor(private readonly origin: string) {}

  /** Answers what `navigator.credentials.create` was asked, as JSON text. */
  create({ challenge, rp }: PasskeyOptions, said: Partial<Said> = {}): string {
    const { x, y } = this.keys.publicKey.export({ format: 'jwk' }) as { x: string; y: string };
    const coseKey = Buffer.concat([
      Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
      bytes(Buffer.from(x, 'base64url')),
      Buffer.from([0x22]),
      bytes(Buffer.from(y, 'base64url')),
    ]);
    const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, this.id.length]), this.id, coseKey]);
    const authData = this.authenticatorData({ rpId: rp?.id ?? '', counter: this.counter, ...said }, attested);
    const attestationObject = Buffer.concat([
      Buffer.from([0xa3]),
      ...[text('fmt'), text('none'), text('attStmt'), Buffer.from([0xa0]), text('authData'), bytes(authData)],
    ]);
    return this.answer(this.id, {
      clientDataJSON: base64(this.clientData('webauthn.create', challenge, said.origin)),
      attestationObject: base64(attestationObject),
      transports: ['internal'],
    });
  }

  /** Answers what `navigator.credentials.get` was asked, as JSON text, and counts the use. */
  get({ challenge, rpId = '' }: PasskeyOptions, said: Partial<Said> = {}): string {
    this.counter += 1;
    const authData = this.authenticatorData({ rpId, counter: this.counter, ...said });
    const clientData = this.clientData('webauthn.get', challenge, said.origin);
    const signature = sign('sha256', Buffer.concat([authData, sha256(clientData)]), this.keys.privateKey);
    return this.answer(said.credentialId ?? this.id, {
      clientDataJSON: base64(clientData),
      authenticatorData: base64(authData),
      signature: base64(signature),
    });
  }

  private clientData(type: string, challenge: string, origin = this.origin): string {
    return JSON.stringify({ type, challenge, origin, crossOrigin: false });
  }

  private authenticatorData(
    { rpId, counter, isVerified = true }: Pick<Said, 'rpId' | 'counter'> & Partial<Said>,
    attested = Buffer.alloc(0),
  ): Buffer {
    const counted = Buffer.alloc(4);
    counted.writeUInt32BE(counter);
    const flags = 0x01 | (isVerified ? 0x04 : 0) | (attested.length > 0 ? 0x40 : 0);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), counted, attested]);
  }

  private answer(id: Buffer, response: object): string {
    return JSON.stringify({ id: base64(id), rawId: base64(id), type: 'public-key', response });
  }
}
