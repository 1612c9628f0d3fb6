import { createHmac, createPrivateKey, generateKeyPairSync, hkdfSync } from 'node:crypto';
import { Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { calculateJwkThumbprint, type JWK, SignJWT } from 'jose';
import { Jobs } from '../../platform/jobs/jobs.js';
import { SecretBox } from '../../platform/security/secret-box.js';
import type { KeyReader } from '../wallet/wallet.port.js';
import { Transactions } from '../payments/payments.port.js';
import { claimsOf, type Disclosure, payeeOf, RECEIPT_ISSUER, RECEIPT_TYPE } from './receipts.domain.js';
import type { ReceiptKey } from './receipts.entity.js';
import { type NewReceiptKey, ReceiptsStore } from './receipts.store.js';

export interface SignedReceipt extends Disclosure {
  /** Compact JWS. */
  readonly receipt: string;
}

/** RFC 7517. */
export type PublicReceiptKey = Required<Pick<JWK, 'kty' | 'crv' | 'x' | 'kid' | 'alg' | 'use'>>;

export type ReceiptReader = KeyReader | { readonly userId: string };

interface OpenedKey {
  readonly kid: string;
  /** PEM. */
  readonly privateKey: string;
}

const KEY_DAYS = 90;

/**
 * Signed on request, so that payments do not pay for it. A secret without a key gets one at start or at the
 * first signature.
 */
export class ReceiptsService implements OnApplicationBootstrap {
  private readonly log = new Logger(ReceiptsService.name);
  private readonly box: SecretBox;
  private readonly sealedBy: string;
  private readonly saltKey: Buffer;

  constructor(
    private readonly store: ReceiptsStore,
    private readonly transactions: Transactions,
    jobs: Jobs,
    master: string,
  ) {
    this.box = new SecretBox(master, 'receipt signing keys, v1');
    this.sealedBy = Buffer.from(hkdfSync('sha256', master, '', 'receipt key owner, v1', 16)).toString(
      'base64url',
    );
    this.saltKey = Buffer.from(hkdfSync('sha256', master, '', 'receipt salts, v1', 32));
    jobs.daily('payments.rotate-receipt-key-daily', '02:40', async () => {
      await this.store.retireOld(KEY_DAYS);
      await this.signingKey();
    });
  }

  /** Not fatal: the key is made at the first signature. */
  async onApplicationBootstrap(): Promise<void> {
    try {
      await this.signingKey();
    } catch (error) {
      this.log.warn(`the key of receipts is made when the first one is signed: ${String(error)}`);
    }
  }

  /** Throws `TRANSACTION_NOT_FOUND`. */
  async receiptOf(transactionId: string, reader: ReceiptReader): Promise<SignedReceipt> {
    const { transaction, settlement } =
      'walletId' in reader
        ? await this.transactions.get(transactionId, reader)
        : await this.transactions.ofUser(transactionId, reader.userId);
    const disclosure: Disclosure = {
      salt: this.saltOf(transaction.id),
      payee: payeeOf(transaction),
      facts: transaction.facts,
    };
    const { approval, blockReason } = transaction;
    const outcome = approval === 'pending' ? 'pending' : blockReason === null ? 'approved' : 'blocked';
    const claims = claimsOf(transaction, outcome, settlement, disclosure);
    const { kid, privateKey } = await this.signingKey();
    const receipt = await new SignJWT({ ...claims })
      .setProtectedHeader({ alg: 'EdDSA', kid, typ: RECEIPT_TYPE })
      .setIssuer(RECEIPT_ISSUER)
      .setIssuedAt()
      .sign(createPrivateKey({ key: privateKey, format: 'pem' }));
    return { receipt, ...disclosure };
  }

  /** Makes none: the route is public. */
  async publicKeys(): Promise<PublicReceiptKey[]> {
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

  /** Against trying all account numbers; stable per attempt. */
  private saltOf(transactionId: string): string {
    return createHmac('sha256', this.saltKey).update(transactionId).digest('base64url');
  }

  private async signingKey(): Promise<OpenedKey> {
    const isOwn = (key: ReceiptKey) => this.opened(key) !== null;
    const active = await this.store.active(this.sealedBy, isOwn, KEY_DAYS);
    const key =
      active && !active.isOld
        ? active.key
        : await this.store.rotate(KEY_DAYS, this.sealedBy, isOwn, await this.newKey());
    const opened = this.opened(key);
    if (!opened) throw new Error(`the receipt key ${key.kid} can not be opened by the secret that sealed it`);
    return opened;
  }

  private opened({ kid, sealedPrivateKey }: ReceiptKey): OpenedKey | null {
    const privateKey = sealedPrivateKey === null ? null : this.box.open(sealedPrivateKey, kid);
    return privateKey === null ? null : { kid, privateKey };
  }

  private async newKey(): Promise<NewReceiptKey> {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const jwk = publicKey.export({ format: 'jwk' }) as JWK & { x: string };
    const kid = await calculateJwkThumbprint(jwk);
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' });
    return { kid, publicKey: jwk.x, sealedPrivateKey: this.box.seal(pem, kid) };
  }
}
