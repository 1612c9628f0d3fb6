import { generateSync } from 'otplib';
import { OperatorGrants } from '../../src/contexts/operations/acts/grants.service.js';
import { type Answer, expectStatus, PASSWORD, type TestService, type TestUser } from './service.js';

export interface OperatorCaseRow {
  readonly id: string;
  readonly kind: string;
  readonly subject: string;
  readonly ownerId: string | null;
}

interface PerformedAnswer {
  readonly data: {
    readonly act: {
      id: string;
      caseId: string | null;
      operatorId: string;
      confirmedBy: string | null;
    } | null;
    readonly proposal: { id: string } | null;
  };
}

/** Turns two-factor authentication on; answers a code for the next time step, which is good for a minute. */
export async function withTwoFactor(service: TestService, { token }: TestUser): Promise<string> {
  const setUp = await service.post<{ data: { secret: string } }>('/v1/auth/two-factor', {
    token,
    body: { currentPassword: PASSWORD },
  });
  const { secret } = expectStatus(201, setUp).body.data;
  const codeAt = (steps: number) =>
    generateSync({ secret, epoch: Math.floor(Date.now() / 1_000) + steps * 30 });
  await service.post('/v1/auth/two-factor/confirm', { token, body: { code: codeAt(0) } });
  return codeAt(1);
}

/** An operator, whose session has given a code. */
export class Operator {
  private constructor(
    readonly service: TestService,
    readonly user: TestUser,
    private code: string | null,
  ) {}

  static async make(service: TestService): Promise<Operator> {
    const user = await service.signUp();
    const code = await withTwoFactor(service, user);
    const problem = await service.app.get(OperatorGrants, { strict: false }).set(user.email, true, 'a test');
    if (problem !== null) throw new Error(problem);
    return new Operator(service, user, code);
  }

  get id(): string {
    return this.user.id;
  }

  /** The same operator, who asks another replica. */
  on(service: TestService): Operator {
    return new Operator(service, this.user, null);
  }

  get<Body = Record<string, unknown>>(path: string): Promise<Answer<Body>> {
    return this.service.get<Body>(`/v1/operator/${path}`, { token: this.user.token });
  }

  post<Body = Record<string, unknown>>(path: string, body: object = {}): Promise<Answer<Body>> {
    const code = this.code;
    this.code = null;
    return this.service.post<Body>(`/v1/operator/${path}`, {
      token: this.user.token,
      body,
      ...(code !== null && { headers: { 'x-totp-code': code } }),
    });
  }

  act(act: string, subject: string, fields: object = {}): Promise<Answer<PerformedAnswer>> {
    return this.post<PerformedAnswer>('acts', {
      act,
      subject,
      reason: 'the bank confirms it (ticket 1843)',
      ...fields,
    });
  }

  async caseOf(subject: string): Promise<OperatorCaseRow | undefined> {
    const { body } = await this.get<{ data: OperatorCaseRow[] }>('cases?pageSize=100');
    return body.data.find((each) => each.subject === subject);
  }
}
