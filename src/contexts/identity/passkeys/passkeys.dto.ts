import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import { ApiProperty } from '@nestjs/swagger';
import { AnyText, ApiField, Email, ExactText, Name } from '../../../platform/http/api/fields.js';
import {
  ApiIdProperty,
  ApiListProperty,
  ApiObjectProperty,
  ApiTextProperty,
  ApiTimeProperty,
  OR_NULL,
  StatusSuccess,
} from '../../../platform/http/api/response-properties.js';
import { PASSKEY_TEXT_MAX } from '../identity.domain.js';

const NAME_MAX = 60;
const OPTIONS = { type: 'object', additionalProperties: true } as const;

export class BeginPasskeyRequest {
  @ApiField('The password in use.', 'correct horse')
  @ExactText(0, 10_000)
  currentPassword: string;
}

export class RegisterPasskeyRequest {
  @ApiField('To tell it from others.', 'Work laptop')
  @Name(1, NAME_MAX)
  name: string;

  @ApiField('What `navigator.credentials.create` answered, as JSON text.', '{"id":"…"}')
  @ExactText(1, PASSKEY_TEXT_MAX)
  credential: string;
}

export class RenamePasskeyRequest {
  @ApiField('To tell it from others.', 'Work laptop')
  @Name(1, NAME_MAX)
  name: string;
}

export class SignInChallengeRequest {
  @ApiField('In any case.', 'ada@example.ng')
  @Email()
  email: string;

  @ApiField('The password of the sign-up.', 'correct horse')
  @AnyText()
  password: string;
}

export class PasskeyView {
  @ApiIdProperty('The passkey.')
  id: string;

  @ApiTextProperty('As its owner named it.', 'Work laptop')
  name: string;

  @ApiTimeProperty('When it was registered.')
  createdAt: Date;

  @ApiTimeProperty('When it last was the second factor.', OR_NULL)
  lastUsedAt: Date | null;
}

class Passkeys {
  @ApiTextProperty(
    'The address of the dashboard, at which alone passkeys work.',
    'https://wallets.example.ng',
  )
  origin: string;

  @ApiListProperty(PasskeyView, 'Oldest first.')
  passkeys: PasskeyView[];
}

export class PasskeysResponse extends StatusSuccess(Passkeys) {}

class PasskeyRegistration {
  @ApiProperty({
    ...OPTIONS,
    description: 'For `navigator.credentials.create`; good once, for five minutes.',
  })
  options: PublicKeyCredentialCreationOptionsJSON;
}

export class PasskeyRegistrationResponse extends StatusSuccess(PasskeyRegistration) {}

class RegisteredPasskey {
  @ApiObjectProperty(PasskeyView, 'The new one.')
  passkey: PasskeyView;

  @ApiProperty({
    type: 'array',
    items: { type: 'string' },
    nullable: true,
    description:
      'Each takes the place of a passkey or an app once. Shown this once; null if the user had a second factor.',
    example: ['abcd-efgh-jkmn-pqrs'],
  })
  recoveryCodes: readonly string[] | null;
}

export class RegisteredPasskeyResponse extends StatusSuccess(RegisteredPasskey) {}

class RenamedPasskey {
  @ApiObjectProperty(PasskeyView, 'As it is now.')
  passkey: PasskeyView;
}

export class RenamedPasskeyResponse extends StatusSuccess(RenamedPasskey) {}

class PasskeyChallengeData {
  @ApiProperty({ ...OPTIONS, description: 'For `navigator.credentials.get`; good once, for five minutes.' })
  options: PublicKeyCredentialRequestOptionsJSON;
}

export class PasskeyChallengeResponse extends StatusSuccess(PasskeyChallengeData) {}
