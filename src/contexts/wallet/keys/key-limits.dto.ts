import {
  Amount,
  ApiField,
  Digits,
  Instant,
  NameList,
  Nested,
  Optional,
  IntegerField,
} from '../../../platform/http/api/fields.js';
import { type Kobo, KOBO_MAX } from '../../../kernel/money.js';

const MERCHANTS_MAX = 100;

export class KeyPayee {
  @ApiField('The account number.', '0123456789')
  @Digits(10)
  accountNumber: string;

  @ApiField('The code of the bank.', '058')
  @Digits(3)
  bankCode: string;
}

export class NewKeyLimits {
  @Optional()
  @ApiField('The most one payment may be, in kobo; at most that of the wallet.', 20_000)
  @Amount()
  spendLimitPerTx?: Kobo | null;

  @Optional()
  @ApiField('The most the key may spend within its window, in kobo; at most that of the wallet.', 60_000)
  @Amount()
  spendLimitPeriod?: Kobo | null;

  @Optional()
  @ApiField("Days of that rolling window, 24 hours each; the wallet's when absent.", 7)
  @IntegerField(1, 3650)
  periodWindowDays?: number | null;

  @Optional()
  @ApiField('The most the key may spend in its life, in kobo. What is refunded is given back.', 100_000)
  @Amount()
  totalCap?: Kobo | null;

  @Optional()
  @ApiField('The most payments the key may make in its life. One that is refunded is given back.', 3)
  @IntegerField(1, KOBO_MAX)
  maxPayments?: number | null;

  @Optional()
  @ApiField("The only merchants the key may pay: of the wallet's allowlist, where it has one.", ['Shoprite'])
  @NameList(1, 200, MERCHANTS_MAX)
  allowedMerchants?: string[] | null;

  @Optional()
  @ApiField('The only account the key may pay.', { accountNumber: '0123456789', bankCode: '058' })
  @Nested(KeyPayee)
  payee?: KeyPayee | null;

  @Optional()
  @ApiField('From then on the key is blocked; not after the expiry of the wallet.', '2027-02-01T00:00:00Z')
  @Instant()
  expiry?: Date | null;
}
