import { Parameter, textOf } from '../../../platform/http/api/query.js';
import {
  ApiBooleanProperty,
  ApiEnumProperty,
  ApiIdProperty,
  ApiKoboProperty,
  ApiListProperty,
  ApiTextProperty,
  ApiTimeProperty,
  OR_NULL,
  Success,
} from '../../../platform/http/api/response-properties.js';

export class FindQuery {
  @Parameter((query, field) => textOf(query, field, 200), {
    description: 'An id, e-mail, account number or reference, in whole.',
    type: 'string',
    required: true,
  })
  readonly text: string | null = null;
}

export class FoundUser {
  @ApiIdProperty('The user.')
  id: string;

  @ApiTextProperty('The e-mail.', 'ada@example.ng')
  email: string;

  @ApiIdProperty('The account that the user acts for.')
  accountId: string;

  @ApiTextProperty('The role in it.', 'owner')
  role: string;

  @ApiBooleanProperty('An operator of the service.', false)
  isOperator: boolean;

  @ApiBooleanProperty('Two-factor authentication is on.', true)
  hasTwoFactor: boolean;

  @ApiTimeProperty('Since when an operator refuses sign-ins.', OR_NULL)
  suspendedAt: Date | null;

  @ApiTimeProperty('When the user signed up.')
  createdAt: Date;
}

export class FoundWallet {
  @ApiIdProperty('The wallet.')
  id: string;

  @ApiIdProperty('The account that owns it.')
  accountId: string;

  @ApiTextProperty('Its name.', 'Groceries')
  name: string;

  @ApiEnumProperty(['ACTIVE', 'SUSPENDED', 'CLOSED'], 'Its status.')
  status: 'ACTIVE' | 'SUSPENDED' | 'CLOSED';

  @ApiBooleanProperty('Only an operator can let money out again.', false)
  suspendedByOperator: boolean;

  @ApiKoboProperty('Its balance.', 105_055)
  balance: number;

  @ApiKoboProperty('Held for payments that wait for approval.', 0)
  held: number;

  @ApiTimeProperty('When it was made.')
  createdAt: Date;
}

class Found {
  @ApiListProperty(FoundUser, 'At most 20.')
  users: readonly FoundUser[];

  @ApiListProperty(FoundWallet, 'At most 20.')
  wallets: readonly FoundWallet[];
}

export class FoundResponse extends Success(Found, 'What has this id, e-mail, account number or reference.') {}

export function presentWallet({
  id,
  accountId,
  name,
  status,
  suspendedByOperator,
  balance,
  held,
  createdAt,
}: FoundWallet): FoundWallet {
  return { id, accountId, name, status, suspendedByOperator, balance, held, createdAt };
}
