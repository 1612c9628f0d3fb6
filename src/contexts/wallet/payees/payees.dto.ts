import { ApiField, Digits, Name } from '../../../platform/http/api/fields.js';
import { PageOf } from '../../../platform/http/api/pagination.js';
import {
  ApiEnumProperty,
  ApiIdProperty,
  ApiObjectProperty,
  ApiTextProperty,
  ApiTimeProperty,
  OR_NULL,
  Success,
} from '../../../platform/http/api/response-properties.js';

export class RegisterPayeeRequest {
  @ApiField('Compared regardless of case and of spaces around and between words.', 'Shoprite')
  @Name(3, 200)
  merchantName: string;

  @ApiField('The account that the merchant may be paid at.', '0123456789')
  @Digits(10)
  accountNumber: string;

  @ApiField('The code of its bank.', '044')
  @Digits(3)
  bankCode: string;
}

export class WalletPayee {
  @ApiIdProperty('The payee.')
  id: string;

  @ApiIdProperty('The wallet that may pay it.')
  walletId: string;

  @ApiTextProperty("The merchant's identity: the form in which names are compared.", 'shoprite')
  merchant: string;

  @ApiTextProperty('As first supplied, trimmed.', 'Shoprite')
  merchantName: string;

  @ApiTextProperty('The account.', '0123456789', { pattern: '^[0-9]{10}$' })
  accountNumber: string;

  @ApiTextProperty('The code of its bank.', '044', { pattern: '^[0-9]{3}$' })
  bankCode: string;

  @ApiTextProperty(
    'The name of the account holder, as its bank says. Null where a first use was remembered and the bank has not been ' +
      'asked yet, or knows no name.',
    'SHOPRITE CHECKERS NIG LTD',
    OR_NULL,
  )
  accountName: string | null;

  @ApiEnumProperty(
    ['registered', 'first_use'],
    '`registered` by the owner; `first_use`: the account that the merchant was first paid at.',
  )
  origin: 'registered' | 'first_use';

  @ApiIdProperty('The first approved payment to this payee; null: there was none.', OR_NULL)
  firstTransactionId: string | null;

  @ApiTimeProperty('When it was registered, or first paid.')
  createdAt: Date;

  @ApiIdProperty(
    'Set only if a key with limits first paid it: it binds the merchant for that key alone, and for those that replace it.',
    { required: false },
  )
  keyId?: string;
}

class PayeeData {
  @ApiObjectProperty(WalletPayee, 'The payee.')
  payee: WalletPayee;
}

export class PayeeResponse extends Success(PayeeData) {}
export class PayeesResponse extends PageOf(WalletPayee) {}
