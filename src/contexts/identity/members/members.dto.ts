import {
  ApiField,
  BooleanField,
  Email,
  EMAIL_FORMAT,
  EnumField,
  ExactText,
} from '../../../platform/http/api/fields.js';
import {
  ApiBooleanProperty,
  ApiEnumProperty,
  ApiIdProperty,
  ApiObjectProperty,
  ApiStringsProperty,
  ApiTextProperty,
  ApiTimeProperty,
  ListOf,
  OR_NULL,
  Success,
} from '../../../platform/http/api/response-properties.js';
import { type Act, PERMISSIONS, type Role, ROLES } from '../permissions.port.js';

const ROLE = 'What the member may do; docs/roles.md has the table.';

export class InviteRequest {
  @ApiField('In any case.', 'ben@example.ng')
  @Email()
  email: string;

  @ApiField(ROLE, 'approver')
  @EnumField(...ROLES)
  role: Role;
}

export class ChangeRoleRequest {
  @ApiField(ROLE, 'developer')
  @EnumField(...ROLES)
  role: Role;
}

export class DemandTwoFactorRequest {
  @ApiField('True: a member without a second factor can do nothing but set one up.', true)
  @BooleanField()
  demanded: boolean;
}

export class AcceptInvitationRequest {
  @ApiField('The token of the link.', 'eyJhbGciOiJIUzI1NiJ9.e30.signature')
  @ExactText(1, 2_000)
  token: string;
}

class MemberBusiness {
  @ApiIdProperty('The business.')
  id: string;

  @ApiTextProperty('Its name.', 'Ada Foods Ltd')
  name: string;
}

export class MembershipView {
  @ApiIdProperty('Owns the wallets; the id of the user who opened it.')
  accountId: string;

  @ApiEnumProperty(ROLES, 'The role of the signed-in user; `owner` of who is alone.')
  role: Role;

  @ApiStringsProperty('What this role may do.', Object.keys(PERMISSIONS).slice(0, 3))
  can: readonly Act[];

  @ApiObjectProperty(MemberBusiness, 'Null without one.', OR_NULL)
  business: MemberBusiness | null;

  @ApiBooleanProperty('Whether the business demands two-factor authentication of its members.', false)
  isTwoFactorDemanded: boolean;

  @ApiBooleanProperty(
    "True: it is demanded and the signed-in user has none. All but the user's own login is refused until then.",
    false,
  )
  mustSetUpTwoFactor: boolean;
}

export class MembershipResponse extends Success(MembershipView) {}

export class MemberView {
  @ApiIdProperty('The user.')
  userId: string;

  @ApiTextProperty('As compared: trimmed, lower case.', 'ben@example.ng', { format: EMAIL_FORMAT })
  email: string;

  @ApiEnumProperty(ROLES, ROLE)
  role: Role;

  @ApiTimeProperty('Null of who opened the account.', OR_NULL)
  joinedAt: Date | null;
}

export class MembersResponse extends ListOf(MemberView, 'First come, first; 200 at most.') {}

class Demand {
  @ApiBooleanProperty('As it is now.', true)
  demanded: boolean;
}
export class DemandResponse extends Success(Demand) {}

class OneMember {
  @ApiObjectProperty(MemberView, 'The member as it is now.')
  member: MemberView;
}
export class MemberResponse extends Success(OneMember) {}

export class InvitationView {
  @ApiIdProperty('The invitation.')
  id: string;

  @ApiTextProperty('Who is invited.', 'ben@example.ng', { format: EMAIL_FORMAT })
  email: string;

  @ApiEnumProperty(ROLES, ROLE)
  role: Role;

  @ApiIdProperty('The user who invited last.')
  invitedBy: string;

  @ApiTimeProperty('When it was made.')
  createdAt: Date;

  @ApiTimeProperty('Its links are good until then.')
  expiresAt: Date;

  @ApiBooleanProperty('Whether that has passed: resend it.', false)
  isExpired: boolean;
}

export class InvitationsResponse extends ListOf(
  InvitationView,
  'Newest first, without the accepted and the revoked; 100 at most.',
) {}

class OneInvitation {
  @ApiObjectProperty(InvitationView, 'The invitation.')
  invitation: InvitationView;
}
export class InvitationResponse extends Success(OneInvitation) {}

class Joined {
  @ApiEnumProperty(ROLES, 'The role in the business.')
  role: Role;
}
export class JoinedResponse extends Success(Joined) {}

class Gone {
  @ApiIdProperty('What is gone.')
  id: string;
}
export class GoneResponse extends Success(Gone) {}
