import { IsEmail, IsIn, IsOptional, Matches } from 'class-validator';
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

  /** Gets new cases, signed; the secret is required. */
  @IsOptional()
  @IsWebUrl('https://alerts.example.ng/cases')
  OPERATOR_WEBHOOK_URL?: string;

  @IsOptional()
  @Matches(/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/, {
    message: '$property must be whsec_ and 24 to 64 bytes in base64',
  })
  OPERATOR_WEBHOOK_SECRET?: string;

  /** Refunds payouts that the bank took back at once, without an operator. */
  @IsIn(['true', 'false'])
  AUTO_REFUND_RETURNED: 'true' | 'false' = 'false';
}
