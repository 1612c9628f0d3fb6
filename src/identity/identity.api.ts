import { About, Email, ExactText, OneOf } from '../http/fields.js';
import {
  OR_NULL,
  ShownChoice,
  ShownId,
  ShownObject,
  ShownText,
  ShownTime,
  StatusSuccess,
} from '../http/shown.js';
import type { AccountType } from './identity.contract.js';

const ACCOUNT_TYPES: AccountType[] = ['developer', 'business'];

export class SignUpBody {
  @About('Compared and answered trimmed and in lower case.', 'ada@example.ng')
  @Email()
  email: string;

  @About('Kept as a hash only.', 'correct horse')
  @ExactText(6, 200)
  password: string;

  @About('A `business` gets a business record at once.', 'business')
  @OneOf(...ACCOUNT_TYPES)
  accountType: AccountType;
}

export class LogInBody {
  @About('In any case.', 'ada@example.ng')
  @Email()
  email: string;

  @About('The password of the sign-up.', 'correct horse')
  @ExactText(1, 200)
  password: string;
}

export class User {
  @ShownId('The user.')
  id: string;

  @ShownText('As compared: trimmed, lower case.', 'ada@example.ng', { format: 'email' })
  email: string;

  @ShownChoice(ACCOUNT_TYPES, 'What was signed up for.')
  accountType: AccountType;

  @ShownId("The user's business; null without one.", OR_NULL)
  businessId: string | null;

  @ShownTime('When the user signed up.')
  createdAt: Date;
}

export class SessionData {
  @ShownObject(User, 'Who is signed in.')
  user: User;

  @ShownText(
    'The session token. It lives 7 days; keep it, it is not shown again.',
    'eyJhbGciOiJIUzI1NiJ9.e30.signature',
  )
  token: string;
}

export class SignedInAnswer extends StatusSuccess(SessionData) {}

export class WhoIsSignedIn {
  @ShownObject(User, 'Who is signed in.')
  user: User;
}

export class SessionAnswer extends StatusSuccess(WhoIsSignedIn) {}
