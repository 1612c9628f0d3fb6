import { createPrivateKey } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type JWK, SignJWT } from 'jose';
import type { KeyReader } from '../wallet/wallet.port.js';
import { givenDetails } from '../payments/payments.events.js';
import { Transactions } from '../payments/payments.port.js';
import { Signatures } from './receipts.port.js';
import { ReceiptKeys } from './receipt-keys.service.js';
import { claimsOf, type Disclosure, payeeOf, RECEIPT_ISSUER, RECEIPT_TYPE } from './receipts.domain.js';

export interface SignedReceipt extends Disclosure {
  /** Compact JWS. */
  readonly receipt: string;
}

/** RFC 7517, with the times of OpenID Federation's historical keys, in seconds. */
export type PublicReceiptKey = Required<Pick<JWK, 'kty' | 'crv' | 'x' | 'kid' | 'alg' | 'use'>> & {
  readonly iat: number;
  readonly exp?: number;
  readonly revoked?: { readonly revoked_at: number; readonly reason: string };
};

export type ReceiptReader = KeyReader | { readonly accountId: string };

/** Receipts are signed on request, so that payments do not pay for them. */
@Injectable()
export class ReceiptsService implements Signatures {
  constructor(
    private readonly keys: ReceiptKeys,
    private readonly transactions: Transactions,
  ) {}

  /** Throws `TRANSACTION_NOT_FOUND` and `OVERLOADED`. */
  async receiptOf(transactionId: string, reader: ReceiptReader): Promise<SignedReceipt> {
    const { transaction, settlement } =
      'walletId' in reader
        ? await this.transactions.get(transactionId, reader)
        : await this.transactions.ofUser(transactionId, reader.accountId);
    const disclosure: Disclosure = {
      salt: await this.keys.saltOf(transaction.id),
      payee: payeeOf(transaction),
      facts: transaction.facts,
      ...givenDetails(transaction),
    };
    const { approval, blockReason } = transaction;
    const outcome = approval === 'pending' ? 'pending' : blockReason === null ? 'approved' : 'blocked';
    const claims = claimsOf(transaction, outcome, settlement, disclosure);
    return { receipt: await this.sign(RECEIPT_TYPE, claims), ...disclosure };
  }

  async sign(typ: string, claims: object): Promise<string> {
    const { kid, privateKey } = await this.keys.signing();
    return new SignJWT({ ...claims })
      .setProtectedHeader({ alg: 'EdDSA', kid, typ })
      .setIssuer(RECEIPT_ISSUER)
      .setIssuedAt()
      .sign(createPrivateKey({ key: privateKey, format: 'pem' }));
  }

  /** Every key that ever signed. */
  async publicKeys(): Promise<PublicReceiptKey[]> {
    const keys = await this.keys.all();
    return keys.map(({ kid, publicKey: x, createdAt, retiredAt, revokedAt, revokedReason }) => ({
      kty: 'OKP',
      crv: 'Ed25519',
      x,
      kid,
      alg: 'EdDSA',
      use: 'sig',
      iat: seconds(createdAt),
      ...(retiredAt && { exp: Math.ceil(retiredAt.getTime() / 1_000) }),
      ...(revokedAt && { revoked: { revoked_at: seconds(revokedAt), reason: revokedReason ?? '' } }),
    }));
  }
}

function seconds(time: Date): number {
  return Math.floor(time.getTime() / 1_000);
}
