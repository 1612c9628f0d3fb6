/** A user signed up. `businessId` is set for account type `business`: that business is to be made. */
export class UserSignedUp {
  static readonly type = 'user.signed-up';
  readonly userId: string;
  readonly email: string;
  readonly businessId: string | null;
  readonly at: Date;

  constructor(payload: UserSignedUp) {
    Object.assign(this, payload);
  }
}
