import { ApiEnumProperty, Success } from '../../platform/http/api/response-properties.js';
import type { Config } from '../../platform/config.js';

class BankInUse {
  @ApiEnumProperty(['sandbox', 'kora'], 'The bank of this service.')
  provider: Config['BANK_PROVIDER'];
}

export class BankInUseResponse extends Success(BankInUse) {}
