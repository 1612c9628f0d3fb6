import { Transform } from 'class-transformer';
import { ApiField, ExactText } from '../../../platform/http/api/fields.js';
import {
  ApiBooleanProperty,
  ApiTextProperty,
  ApiStringsProperty,
  ApiTimeProperty,
  ApiIntegerProperty,
  OR_NULL,
  StatusSuccess,
} from '../../../platform/http/api/response-properties.js';
import { withoutSeparators } from './totp.js';

export class SetUpTwoFactorRequest {
  @ApiField('The password in use.', 'correct horse')
  @ExactText(0, 10_000)
  currentPassword: string;
}

export class ConfirmTwoFactorRequest {
  @ApiField('The code that the app shows; spaces and hyphens are ignored.', '492039')
  @Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? withoutSeparators(value) : value,
  )
  @ExactText(6, 6)
  code: string;
}

class TwoFactorInfo {
  @ApiBooleanProperty('Whether a second factor is asked for.', true)
  enabled: boolean;

  @ApiTimeProperty('Since when.', OR_NULL)
  enabledAt: Date | null;

  @ApiIntegerProperty('Recovery codes that were not used yet.', 10)
  recoveryCodesLeft: number;

  @ApiBooleanProperty('Whether an authenticator app is set up.', true)
  hasApp: boolean;

  @ApiIntegerProperty('Passkeys that are registered.', 1)
  passkeys: number;
}

export class TwoFactorResponse extends StatusSuccess(TwoFactorInfo) {}

class TwoFactorSetUp {
  @ApiTextProperty('For the app, in base 32. Shown this once.', 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP')
  secret: string;

  @ApiTextProperty(
    'The same for a QR code.',
    'otpauth://totp/Purser:ada%40example.ng?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
  )
  uri: string;
}

export class TwoFactorSetUpResponse extends StatusSuccess(TwoFactorSetUp) {}

class RecoveryCodes {
  @ApiStringsProperty('Each takes the place of the app or a passkey once. Shown this once.', [
    'abcd-efgh-jkmn-pqrs',
  ])
  recoveryCodes: readonly string[];
}

export class RecoveryCodesResponse extends StatusSuccess(RecoveryCodes) {}
