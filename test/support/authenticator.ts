import { generateSync } from 'otplib';
import { PASSWORD, type TestService, type TestUser } from './service.js';

/** A user with a second factor, whose codes of the present and the next time step were not used. */
export interface ProtectedUser extends TestUser {
  /** What the user's app holds, in base 32. */
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
}

/** An authenticator app, and the database's clock, which stands still in the middle of a time step until it is moved. */
export class Authenticator {
  private now = Math.floor(Date.now() / 30_000) * 30_000 + 15_000;

  /** The service was started with `clock`. */
  constructor(private readonly service: TestService) {}

  /** Moves the database's clock ahead. */
  async pass(milliseconds: number): Promise<void> {
    this.now += milliseconds;
    await this.service.setClock(new Date(this.now));
  }

  /** What the app shows `steps` of 30 seconds after the present one. */
  codeAt(secret: string, steps = 0): string {
    return generateSync({ secret, epoch: Math.floor(this.now / 1_000) + steps * 30 });
  }

  wrongCode(secret: string): string {
    const right = [-1, 0, 1].map((step) => this.codeAt(secret, step));
    return ['000000', '000001', '000002', '000003'].find((code) => !right.includes(code))!;
  }

  async protect(user: TestUser): Promise<ProtectedUser> {
    const { token } = user;
    const setUp = await this.service.post<{ data: { secret: string } }>('/v1/auth/two-factor', {
      token,
      body: { currentPassword: PASSWORD },
    });
    const { secret } = setUp.body.data;
    const confirmed = await this.service.post<{ data: { recoveryCodes: string[] } }>(
      '/v1/auth/two-factor/confirm',
      { token, body: { code: this.codeAt(secret, -1) } },
    );
    return { ...user, secret, recoveryCodes: confirmed.body.data.recoveryCodes };
  }
}
