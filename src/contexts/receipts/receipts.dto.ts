import { ApiProperty } from '@nestjs/swagger';
import {
  ApiConstantProperty,
  ApiIntegerProperty,
  ApiListProperty,
  ApiObjectProperty,
  ApiTextProperty,
  Success,
} from '../../platform/http/api/response-properties.js';
import type { Facts } from '../payments/checks/facts.port.js';

class ReceiptPayee {
  @ApiTextProperty("The recipient's account number.", '0123456789')
  accountNumber: string;

  @ApiTextProperty("The code of the recipient's bank.", '044')
  bankCode: string;

  @ApiTextProperty('As supplied, trimmed.', 'Shoprite')
  merchantName: string;
}

class Receipt {
  @ApiTextProperty(
    'A compact JWS (EdDSA) under a key of `/.well-known/jwks.json`. It holds neither account numbers nor names.',
    'eyJhbGciOiJFZERTQSJ9.eyJvdXRjb21lIjoiYXBwcm92ZWQifQ.c2lnbmF0dXJl',
  )
  receipt: string;

  @ApiTextProperty(
    'For its holder alone: the hashes of the receipt are SHA-256, base64url, of this, a full stop and the canonical ' +
      'JSON (RFC 8785) of `payee`, `facts`, `runId` and `rationale`. To prove one of them, show it together with the salt.',
    'dGhlIHNhbHQgb2YgdGhpcyB0cmFuc2FjdGlvbg',
  )
  salt: string;

  @ApiObjectProperty(ReceiptPayee, 'The input of `payeeHash`.')
  payee: ReceiptPayee;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'The input of `factsHash`: the facts that the decision was made on, as they were then.',
    example: { status: 'ACTIVE', balance: 105_055 },
  })
  facts: Facts;

  @ApiTextProperty('The input of `runIdHash`; absent: none was given.', 'run-0417', { required: false })
  runId?: string;

  @ApiTextProperty('The input of `rationaleHash`; absent: none was given.', 'Milk is below two litres.', {
    required: false,
  })
  rationale?: string;
}

export class ReceiptResponse extends Success(Receipt) {}

class Revocation {
  @ApiIntegerProperty('When, in seconds since 1970.', 1_795_900_000)
  revoked_at: number;

  @ApiTextProperty('The reason, for people.', 'the database was copied')
  reason: string;
}

class PublicKey {
  @ApiConstantProperty('OKP')
  kty: string;

  @ApiConstantProperty('Ed25519')
  crv: string;

  @ApiTextProperty('The public key, base64url.', '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo')
  x: string;

  @ApiTextProperty('Its thumbprint (RFC 7638).', 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k')
  kid: string;

  @ApiConstantProperty('EdDSA')
  alg: string;

  @ApiConstantProperty('sig')
  use: string;

  @ApiIntegerProperty('Since when it signs, in seconds since 1970.', 1_795_000_000)
  iat: number;

  @ApiIntegerProperty('Absent while it signs: until when it did.', 1_802_776_000, { required: false })
  exp?: number;

  @ApiObjectProperty(
    Revocation,
    'Only if it was revoked: no receipt under it is to be believed, whenever it was signed.',
    { required: false },
  )
  revoked?: Revocation;
}

export class KeySetResponse {
  @ApiListProperty(PublicKey, 'The current signing key, and all former ones.')
  keys: PublicKey[];
}
