import { Injectable } from '@nestjs/common';
import { BRAND } from '../../../kernel/brand.js';
import { AppError } from '../../../kernel/errors.js';
import { Database } from '../../../platform/database/database.js';
import { Events } from '../../../platform/events/events.js';
import { SecretBox } from '../../../platform/security/secret-box.js';
import { SecurityChanged } from '../identity.events.js';
import {
  type Prover,
  secondFactorRequired,
  type SessionUser,
  STEP_UP_MINUTES,
  TwoFactor,
  Users,
} from '../identity.port.js';
import { LoginLimits } from '../login-limits.js';
import { PasskeyProofs } from '../passkeys/passkey-proofs.service.js';
import { PasskeysStore } from '../passkeys/passkeys.store.js';
import { TwoFactorStore } from './two-factor.store.js';
import type { TwoFactorSecret } from './two-factor.entity.js';
import { hashRecoveryCode, newRecoveryCodes, newSecret, stepOf, withoutSeparators } from './totp.js';

export interface TwoFactorState {
  readonly enabled: boolean;
  readonly enabledAt: Date | null;
  readonly recoveryCodesLeft: number;
  readonly hasApp: boolean;
  readonly passkeys: number;
}

@Injectable()
export class TwoFactorService implements TwoFactor {
  constructor(
    private readonly store: TwoFactorStore,
    private readonly users: Users,
    private readonly limits: LoginLimits,
    private readonly database: Database,
    private readonly events: Events,
    private readonly box: SecretBox,
    private readonly passkeys: PasskeysStore,
    private readonly proofs: PasskeyProofs,
  ) {}

  async state(userId: string): Promise<TwoFactorState> {
    const enabledAt = await this.store.since(userId);
    const [recoveryCodesLeft, app, passkeys] = await Promise.all([
      enabledAt ? this.store.countRecoveryCodes(userId) : 0,
      this.store.find(userId),
      this.passkeys.count(userId),
    ]);
    const hasApp = Boolean(app?.confirmedAt);
    return { enabled: enabledAt !== null, enabledAt, recoveryCodesLeft, hasApp, passkeys };
  }

  /** Not required until confirmed. */
  async setUp(session: SessionUser, proof: string | undefined): Promise<{ secret: string; uri: string }> {
    const { userId } = session;
    if ((await this.store.find(userId))?.confirmedAt) throw alreadyEnabled();
    if (!(await this.stepUp(session, proof))) throw secondFactorRequired();
    const proposal = newSecret(BRAND, await this.users.emailOf(userId));
    const sealed = this.box.seal(proposal.secret, userId);
    if (!(await this.database.transaction((tx) => this.store.propose(userId, sealed, tx)))) {
      throw alreadyEnabled();
    }
    return proposal;
  }

  /** Returns the recovery codes, only here. */
  async confirm(userId: string, code: string): Promise<readonly string[]> {
    const factor = await this.store.find(userId);
    if (!factor) throw notEnabled();
    if (factor.confirmedAt) throw alreadyEnabled();
    const step = await this.limited(userId, () => this.requireStep(factor, code));
    const codes = newRecoveryCodes();
    await this.database.transaction(async (tx) => {
      if (!(await this.store.confirm(userId, factor.sealedSecret, step, tx))) throw alreadyEnabled();
      await this.store.replaceRecoveryCodes(userId, codes.map(hashRecoveryCode), tx);
      const hasPasskeys = (await this.passkeys.count(userId, tx)) > 0;
      const change = hasPasskeys ? 'authenticator-added' : 'two-factor-enabled';
      await this.events.publish([new SecurityChanged({ userId, change })], tx);
    });
    return codes;
  }

  async renewRecoveryCodes(userId: string): Promise<readonly string[]> {
    const codes = newRecoveryCodes();
    const hashes = codes.map(hashRecoveryCode);
    await this.database.transaction(async (tx) => {
      if (!(await this.store.renewRecoveryCodes(userId, hashes, tx))) throw notEnabled();
      await this.events.publish([new SecurityChanged({ userId, change: 'recovery-codes-renewed' })], tx);
    });
    return codes;
  }

  async isOn(userId: string): Promise<boolean> {
    return (await this.store.since(userId)) !== null;
  }

  /** Removes the app; passkeys stay. */
  async disable(userId: string): Promise<void> {
    if (!(await this.store.find(userId))?.confirmedAt) throw notEnabled();
    await this.database.transaction(async (tx) => {
      if (!(await this.store.remove(userId, tx))) throw notEnabled();
      const isLast = await this.store.endWithLast(userId, tx);
      const change = isLast ? 'two-factor-disabled' : 'authenticator-removed';
      await this.events.publish([new SecurityChanged({ userId, change })], tx);
    });
  }

  async verify(prover: Prover, proof: string | undefined): Promise<void> {
    if (!(await this.isOn(prover.userId))) return;
    const sent = trimmed(proof);
    if (!sent) throw secondFactorRequired();
    await this.requireProof(prover, sent);
  }

  async stepUp(session: SessionUser, proof: string | undefined): Promise<boolean> {
    if (!(await this.isOn(session.userId))) return true;
    const sent = trimmed(proof);
    if (!sent) return this.store.isSteppedUp(session, STEP_UP_MINUTES);
    const at = await this.store.now();
    await this.requireProof(session, sent);
    await this.store.noteStepUp(session, at);
    return true;
  }

  private async requireProof(prover: Prover, proof: string): Promise<void> {
    await this.limited(prover.userId, async () => {
      if (isPasskey(proof)) {
        if (!(await this.proofs.accept(prover, proof))) throw passkeyRefused();
      } else if (!(await this.acceptCode(prover.userId, proof))) throw invalidCode();
    });
  }

  /** Mails the owner at the last allowed guess. */
  private limited<T>(userId: string, attempt: () => Promise<T>): Promise<T> {
    return this.limits.secondFactor(userId, attempt, () =>
      this.database.transaction((tx) =>
        this.events.publish([new SecurityChanged({ userId, change: 'two-factor-locked' })], tx),
      ),
    );
  }

  private async acceptCode(userId: string, code: string): Promise<boolean> {
    if (!isAppCode(code)) return this.store.consumeRecoveryCode(userId, hashRecoveryCode(code));
    const app = await this.store.find(userId);
    return app?.confirmedAt ? this.store.consumeStep(userId, await this.requireStep(app, code)) : false;
  }

  private async requireStep(factor: TwoFactorSecret, code: string): Promise<number> {
    const secret = this.box.open(factor.sealedSecret, factor.userId);
    const step = secret && isAppCode(code) ? stepOf(code, secret, await this.store.now()) : null;
    if (step === null) throw invalidCode();
    return step;
  }
}

const isPasskey = (proof: string): boolean => proof.startsWith('{');

function trimmed(proof = ''): string {
  return isPasskey(proof) ? proof : withoutSeparators(proof);
}

const isAppCode = (code: string): boolean => /^\d{6}$/.test(code);

function invalidCode(): AppError {
  return new AppError(
    'INVALID_TWO_FACTOR_CODE',
    'This code is wrong, or was used before. Wait for the next one.',
  );
}

function passkeyRefused(): AppError {
  return new AppError(
    'INVALID_TWO_FACTOR_CODE',
    'This passkey was not accepted. Get a new challenge and try again.',
  );
}

function alreadyEnabled(): AppError {
  return new AppError('TWO_FACTOR_ALREADY_ENABLED', 'Two-factor authentication is on. Turn it off first.');
}

function notEnabled(): AppError {
  return new AppError('TWO_FACTOR_NOT_ENABLED', 'Two-factor authentication is not on. Set it up first.');
}
