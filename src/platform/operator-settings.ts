import { IsEmail, IsIn, IsOptional, Matches, ValidateIf } from 'class-validator';
import { KOBO_MAX } from '../kernel/money.js';
import { LogSettings } from './observability/log-settings.js';
import { IsWebUrl, WholeNumber } from './setting-rules.js';

export class OperatorSettings extends LogSettings {
  /** Kobo; above, a second operator confirms. */
  @WholeNumber(0, KOBO_MAX)
  OPERATOR_FOUR_EYES_KOBO = 50_000_000;

  /** Gets mail of new cases. Unset: every operator. */
  @IsOptional()
  @IsEmail()
  OPERATOR_EMAIL?: string;

  /** Gets new cases, signed. */
  @ValidateIf(
    ({ OPERATOR_WEBHOOK_URL, OPERATOR_WEBHOOK_SECRET }: OperatorSettings) =>
      OPERATOR_WEBHOOK_URL !== undefined || OPERATOR_WEBHOOK_SECRET !== undefined,
  )
  @IsWebUrl('https://alerts.example.ng/cases')
  OPERATOR_WEBHOOK_URL?: string;

  @ValidateIf(({ OPERATOR_WEBHOOK_URL }: OperatorSettings) => OPERATOR_WEBHOOK_URL !== undefined)
  @Matches(/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/, {
    message: '$property must be whsec_ and 24 to 64 bytes in base64; OPERATOR_WEBHOOK_URL needs it',
  })
  OPERATOR_WEBHOOK_SECRET?: string;

  /** Refunds payouts that the bank took back at once, without an operator. */
  @IsIn(['true', 'false'])
  AUTO_REFUND_RETURNED: 'true' | 'false' = 'false';
}
