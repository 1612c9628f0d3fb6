import {
  AnyText,
  ApiField,
  Email,
  EMAIL_FORMAT,
  ExactText,
  NewPassword,
  EnumField,
  Optional,
} from '../../platform/http/api/fields.js';
import {
  OR_NULL,
  ApiBooleanProperty,
  ApiEnumProperty,
  ApiIdProperty,
  ApiObjectProperty,
  ApiTextProperty,
  ApiTimeProperty,
  StatusSuccess,
} from '../../platform/http/api/response-properties.js';
import type { AccountType } from './identity.port.js';
import { MembershipView } from './members/members.dto.js';
import { PASSKEY_TEXT_MAX } from './identity.domain.js';

const ACCOUNT_TYPES: AccountType[] = ['developer', 'business'];

export class SignUpRequest {
  @ApiField('Compared and answered trimmed and in lower case.', 'ada@example.ng')
  @Email()
  email: string;

  @ApiField('Kept as a hash only.', 'correct horse')
  @NewPassword()
  password: string;

  @ApiField('A `business` gets a business record at once.', 'business')
  @EnumField(...ACCOUNT_TYPES)
  accountType: AccountType;
}

export class LogInRequest {
  @ApiField('In any case.', 'ada@example.ng')
  @Email()
  email: string;

  @ApiField('The password of the sign-up.', 'correct horse')
  @AnyText()
  password: string;

  @Optional()
  @ApiField('With two-factor authentication: a code of the app, or a recovery code. Good once.', '492039')
  @ExactText(0, 64)
  totpCode?: string | null;

  @Optional()
  @ApiField(
    'In place of a code: what a passkey answered to `POST /v1/auth/login/passkey`, as JSON text. Good once.',
    '{"id":"…"}',
  )
  @ExactText(1, PASSKEY_TEXT_MAX)
  passkey?: string | null;
}

export class UserView {
  @ApiIdProperty('The user.')
  id: string;

  @ApiTextProperty('As compared: trimmed, lower case.', 'ada@example.ng', { format: EMAIL_FORMAT })
  email: string;

  @ApiEnumProperty(ACCOUNT_TYPES, 'What was signed up for.')
  accountType: AccountType;

  @ApiIdProperty("The user's business; null without one.", OR_NULL)
  businessId: string | null;

  @ApiTimeProperty('When the user signed up.')
  createdAt: Date;

  @ApiBooleanProperty('There for operators of the service.', true, { required: false })
  isOperator?: true;
}

class SessionData {
  @ApiObjectProperty(UserView, 'Who is signed in.')
  user: UserView;

  @ApiTextProperty(
    'The session token. It lives 7 days; keep it, it is not shown again.',
    'eyJhbGciOiJIUzI1NiJ9.e30.signature',
  )
  token: string;
}

export class SignedInResponse extends StatusSuccess(SessionData) {}

class WhoIsSignedIn {
  @ApiObjectProperty(UserView, 'Who is signed in.')
  user: UserView;

  @ApiObjectProperty(MembershipView, 'As `getMembership` answers.')
  membership: MembershipView;

  @ApiBooleanProperty('Whether the user has an authenticator app or a passkey.', true)
  hasTwoFactor: boolean;
}

export class SessionResponse extends StatusSuccess(WhoIsSignedIn) {}
