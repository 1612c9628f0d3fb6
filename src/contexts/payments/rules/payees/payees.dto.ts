import { ApiField, Digits } from '../../../../platform/http/api/fields.js';
import { ApiTextProperty } from '../../../../platform/http/api/response-properties.js';

export class ResolveRequest {
  @ApiField("The recipient's account number.", '0123456789')
  @Digits(10)
  accountNumber: string;

  @ApiField("The code of the recipient's bank.", '044')
  @Digits(3)
  bankCode: string;
}

export class ResolvedAccountResponse {
  @ApiTextProperty('The name of the account holder, as the bank has it.', 'CHIDI OKAFOR')
  accountName: string;
}

export class PayableBankResponse {
  @ApiTextProperty('The code to send as `recipientBankCode`.', '044')
  code: string;

  @ApiTextProperty('The name of the bank.', 'Access Bank')
  name: string;
}
