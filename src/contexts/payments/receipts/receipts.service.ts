import { createHmac, createPrivateKey, generateKeyPairSync, hkdfSync } from 'node:crypto';
import { calculateJwkThumbprint, type JWK, SignJWT } from 'jose';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { SecretBox } from '../../../platform/security/secret-box.js';
import { HistoryService } from '../history/history.service.js';
import { claimsOf, type Disclosure, payeeOf, RECEIPT_ISSUER, RECEIPT_TYPE } from './receipts.domain.js';
import type { ReceiptKey } from './receipts.entity.js';
import { ReceiptsStore } from './receipts.store.js';

/** A signed receipt, and what its hashes are of. */
export interface SignedReceipt extends Disclosure {
  /** A compact JWS. */
  readonly receipt: string;
}

/** A public key of the service (RFC 7517). */
export type PublicReceiptKey = Required<Pick<JWK, 'kty' | 'crv' | 'x' | 'kid' | 'alg' | 'use'>>;

/** Whose receipt is asked for: of the wallet of a key, or of any wallet of a user. */
export type ReceiptReader = { readonly walletId: string } | { readonly userId: string };

/** How long a key signs. */
const KEY_DAYS = 90;

/** Receipts for decided attempts: signed when they are asked for, so that no payment pays for them. */
export class ReceiptsService {
  private readonly box: SecretBox;
  private readonly saltKey: Buffer;

  constructor(
    private readonly store: ReceiptsStore,
    private readonly history: HistoryService,
    jobs: Jobs,
    master: string,
  ) {
    this.box = new SecretBox(master, 'receipt signing keys, v1');
    this.saltKey = Buffer.from(hkdfSync('sha256', master, '', 'receipt salts, v1', 32));
    jobs.daily('payments.rotate-receipt-key-daily', '02:40', async () => {
      await this.signingKey();
    });
  }

  /** The receipt of an attempt, approved or not. Throws `TRANSACTION_NOT_FOUND`. */
  async receiptOf(transactionId: string, reader: ReceiptReader): Promise<SignedReceipt> {
    const { transaction, settlement } =
      'walletId' in reader
        ? await this.history.get(transactionId, reader.walletId)
        : await this.history.ofUser(transactionId, reader.userId);
    const disclosure: Disclosure = {
      salt: this.saltOf(transaction.id),
      payee: payeeOf(transaction),
      facts: transaction.facts,
    };
    const { approval, blockReason } = transaction;
    const outcome = approval === 'pending' ? 'pending' : blockReason === null ? 'approved' : 'blocked';
    const claims = claimsOf(transaction, outcome, settlement?.status ?? null, disclosure);
    const { kid, privateKey } = await this.signingKey();
    const receipt = await new SignJWT({ ...claims })
      .setProtectedHeader({ alg: 'EdDSA', kid, typ: RECEIPT_TYPE })
      .setIssuer(RECEIPT_ISSUER)
      .setIssuedAt()
      .sign(createPrivateKey({ key: privateKey, format: 'pem' }));
    return { receipt, ...disclosure };
  }

  /** The public halves of all keys that ever signed, so that old receipts stay valid. */
  async publicKeys(): Promise<PublicReceiptKey[]> {
    await this.signingKey();
    const keys = await this.store.all();
    return keys.map(({ kid, publicKey: x }) => ({
      kty: 'OKP',
      crv: 'Ed25519',
      x,
      kid,
      alg: 'EdDSA',
      use: 'sig',
    }));
  }

  /** Keeps a payee from being found by trying all account numbers. The same attempt always has the same salt. */
  private saltOf(transactionId: string): string {
    return createHmac('sha256', this.saltKey).update(transactionId).digest('base64url');
  }

  /** The key that signs; a new one where there is none, where it is old, or where the secret that sealed it is gone. */
  private async signingKey(): Promise<{ kid: string; privateKey: string }> {
    const active = await this.store.active(KEY_DAYS);
    const known = active && this.opened(active.key);
    if (known && !active.isOld) return known;
    const made = await newKey();
    const sealedPrivateKey = this.box.seal(made.privateKey, made.kid);
    const { kid, publicKey } = made;
    const signing = await this.store.rotate(active?.key.kid ?? null, { kid, publicKey, sealedPrivateKey });
    const opened = this.opened(signing);
    if (!opened) throw new Error('another replica signs receipts under another JWT_SECRET');
    return opened;
  }

  private opened({ kid, sealedPrivateKey }: ReceiptKey): { kid: string; privateKey: string } | null {
    const privateKey = sealedPrivateKey === null ? null : this.box.open(sealedPrivateKey, kid);
    return privateKey === null ? null : { kid, privateKey };
  }
}

async function newKey(): Promise<{ kid: string; publicKey: string; privateKey: string }> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const jwk = publicKey.export({ format: 'jwk' }) as JWK & { x: string };
  return {
    kid: await calculateJwkThumbprint(jwk),
    publicKey: jwk.x,
    privateKey: privateKey.export({ format: 'pem', type: 'pkcs8' }),
  };
}
