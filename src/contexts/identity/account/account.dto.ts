import { ApiField, Email, ExactText, NewPassword } from '../../../platform/http/api/fields.js';
import {
  ApiBooleanProperty,
  ApiIdProperty,
  ApiListProperty,
  ApiTextProperty,
  ApiTimeProperty,
  OR_NULL,
  StatusSuccess,
} from '../../../platform/http/api/response-properties.js';

export class ChangePasswordRequest {
  @ApiField('The password in use.', 'correct horse')
  @ExactText(0, 10_000)
  currentPassword: string;

  @ApiField('Kept as a hash only.', 'battery staple')
  @NewPassword()
  newPassword: string;
}

export class PasswordResetRequest {
  @ApiField('In any case.', 'ada@example.ng')
  @Email()
  email: string;
}

export class ConfirmPasswordResetRequest {
  @ApiField('The token of the link.', 'eyJhbGciOiJIUzI1NiJ9.e30.signature')
  @ExactText(1, 2_000)
  token: string;

  @ApiField('Kept as a hash only.', 'battery staple')
  @NewPassword()
  newPassword: string;
}

export class SessionInfo {
  @ApiIdProperty('The session.')
  id: string;

  @ApiTimeProperty('When it was begun.')
  createdAt: Date;

  @ApiTimeProperty('When it ends by itself.')
  expiresAt: Date;

  @ApiTextProperty('The address that it was begun from.', '203.0.113.7', OR_NULL)
  address: string | null;

  @ApiTextProperty('What the client called itself.', 'Mozilla/5.0 (X11; Linux x86_64)', OR_NULL)
  userAgent: string | null;

  @ApiBooleanProperty('Whether it is the one that asks.', true)
  current: boolean;
}

class SessionList {
  @ApiListProperty(SessionInfo, 'Newest first; the 100 newest.')
  sessions: SessionInfo[];
}

export class SessionListResponse extends StatusSuccess(SessionList) {}
