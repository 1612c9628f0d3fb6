import { Injectable } from '@nestjs/common';
import { BRAND } from '../../../kernel/brand.js';
import { AppError } from '../../../kernel/errors.js';
import { Database } from '../../../platform/database/database.js';
import { Events } from '../../../platform/events/events.js';
import { SecretBox } from '../../../platform/security/secret-box.js';
import { SecurityChanged } from '../identity.events.js';
import {
  secondFactorRequired,
  type SessionUser,
  STEP_UP_MINUTES,
  TwoFactor,
  Users,
} from '../identity.port.js';
import { LoginLimits } from '../login-limits.js';
import { TwoFactorStore } from './two-factor.store.js';
import type { TwoFactorSecret } from './two-factor.entity.js';
import { hashRecoveryCode, newRecoveryCodes, newSecret, stepOf, withoutSeparators } from './totp.js';

export interface TwoFactorState {
  readonly enabled: boolean;
  readonly enabledAt: Date | null;
  readonly recoveryCodesLeft: number;
}

@Injectable()
export class TwoFactorService extends TwoFactor {
  constructor(
    private readonly store: TwoFactorStore,
    private readonly users: Users,
    private readonly limits: LoginLimits,
    private readonly database: Database,
    private readonly events: Events,
    private readonly box: SecretBox,
  ) {
    super();
  }

  async state(userId: string): Promise<TwoFactorState> {
    const enabledAt = (await this.store.find(userId))?.confirmedAt ?? null;
    const recoveryCodesLeft = enabledAt ? await this.store.countRecoveryCodes(userId) : 0;
    return { enabled: enabledAt !== null, enabledAt, recoveryCodesLeft };
  }

  /** Not required until confirmed. Throws `TWO_FACTOR_ALREADY_ENABLED`. */
  async setUp(userId: string): Promise<{ secret: string; uri: string }> {
    const proposal = newSecret(BRAND, await this.users.emailOf(userId));
    const sealed = this.box.seal(proposal.secret, userId);
    if (!(await this.database.transaction((tx) => this.store.propose(userId, sealed, tx)))) {
      throw alreadyEnabled();
    }
    return proposal;
  }

  /**
   * Returns the recovery codes, only here. Throws `INVALID_TWO_FACTOR_CODE`, `TWO_FACTOR_NOT_ENABLED`,
   * `TWO_FACTOR_ALREADY_ENABLED`.
   */
  async confirm(userId: string, code: string): Promise<readonly string[]> {
    const factor = await this.store.find(userId);
    if (!factor) throw notEnabled();
    if (factor.confirmedAt) throw alreadyEnabled();
    const step = await this.limited(userId, () => this.requireStep(factor, code));
    const codes = newRecoveryCodes();
    await this.database.transaction(async (tx) => {
      if (!(await this.store.confirm(userId, factor.sealedSecret, step, tx))) throw alreadyEnabled();
      await this.store.replaceRecoveryCodes(userId, codes.map(hashRecoveryCode), tx);
      await this.events.publish([new SecurityChanged({ userId, change: 'two-factor-enabled' })], tx);
    });
    return codes;
  }

  /** Throws `TWO_FACTOR_NOT_ENABLED`. */
  async renewRecoveryCodes(userId: string): Promise<readonly string[]> {
    const codes = newRecoveryCodes();
    const hashes = codes.map(hashRecoveryCode);
    if (!(await this.database.transaction((tx) => this.store.renewRecoveryCodes(userId, hashes, tx)))) {
      throw notEnabled();
    }
    return codes;
  }

  async isOn(userId: string): Promise<boolean> {
    return Boolean((await this.store.find(userId))?.confirmedAt);
  }

  /** Throws `TWO_FACTOR_NOT_ENABLED`. */
  async disable(userId: string): Promise<void> {
    if (!(await this.store.find(userId))?.confirmedAt) throw notEnabled();
    await this.database.transaction(async (tx) => {
      if (!(await this.store.remove(userId, tx))) throw notEnabled();
      await this.events.publish([new SecurityChanged({ userId, change: 'two-factor-disabled' })], tx);
    });
  }

  async verify(userId: string, code: string | undefined): Promise<void> {
    const factor = await this.store.find(userId);
    if (!factor?.confirmedAt) return;
    const typed = withoutSeparators(code ?? '');
    if (!typed) throw secondFactorRequired();
    await this.requireCode(factor, typed);
  }

  async stepUp(session: SessionUser, code: string | undefined): Promise<boolean> {
    const factor = await this.store.find(session.userId);
    if (!factor?.confirmedAt) return true;
    const typed = withoutSeparators(code ?? '');
    if (!typed) return this.store.isSteppedUp(session, STEP_UP_MINUTES);
    const at = await this.store.now();
    await this.requireCode(factor, typed);
    await this.store.noteStepUp(session, at);
    return true;
  }

  private async requireCode(factor: TwoFactorSecret, code: string): Promise<void> {
    await this.limited(factor.userId, async () => {
      if (!(await this.acceptCode(factor, code))) throw invalidCode();
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

  private async acceptCode(factor: TwoFactorSecret, code: string): Promise<boolean> {
    if (!isAppCode(code)) return this.store.consumeRecoveryCode(factor.userId, hashRecoveryCode(code));
    const step = await this.requireStep(factor, code);
    return this.store.consumeStep(factor.userId, step);
  }

  private async requireStep(factor: TwoFactorSecret, code: string): Promise<number> {
    const secret = this.box.open(factor.sealedSecret, factor.userId);
    const step = secret && isAppCode(code) ? stepOf(code, secret, await this.store.now()) : null;
    if (step === null) throw invalidCode();
    return step;
  }
}

const isAppCode = (code: string): boolean => /^\d{6}$/.test(code);

function invalidCode(): AppError {
  return new AppError(
    'INVALID_TWO_FACTOR_CODE',
    'This code is wrong, or was used before. Wait for the next one.',
  );
}

function alreadyEnabled(): AppError {
  return new AppError('TWO_FACTOR_ALREADY_ENABLED', 'Two-factor authentication is on. Turn it off first.');
}

function notEnabled(): AppError {
  return new AppError('TWO_FACTOR_NOT_ENABLED', 'Two-factor authentication is not on. Set it up first.');
}
