import { Injectable } from '@nestjs/common';
import type {
  PublicKeyCredentialCreationOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { AppError } from '../../../kernel/errors.js';
import { newId } from '../../../kernel/ids.js';
import { isUuid } from '../../../kernel/text.js';
import { Database } from '../../../platform/database/database.js';
import { Events } from '../../../platform/events/events.js';
import { AccountActed, SecurityChanged } from '../identity.events.js';
import { type SessionUser, Users } from '../identity.port.js';
import { hashRecoveryCode, newRecoveryCodes } from '../two-factor/totp.js';
import { TwoFactorStore } from '../two-factor/two-factor.store.js';
import { passkeyNotFound } from './passkey-proofs.service.js';
import type { Passkey } from './passkeys.entity.js';
import { PasskeysStore } from './passkeys.store.js';
import { answerIn, RelyingParty } from './relying-party.js';

const PASSKEYS_MAX = 10;
const TRANSPORT = /^[a-z-]{1,20}$/;
const TRANSPORTS_MAX = 10;

export interface Registered {
  readonly passkey: Passkey;
  /** With the first second factor alone. */
  readonly recoveryCodes: readonly string[] | null;
}

@Injectable()
export class PasskeysService {
  constructor(
    private readonly store: PasskeysStore,
    private readonly factors: TwoFactorStore,
    private readonly party: RelyingParty,
    private readonly users: Users,
    private readonly database: Database,
    private readonly events: Events,
  ) {}

  get origin(): string {
    return this.party.origin;
  }

  list(userId: string): Promise<readonly Passkey[]> {
    return this.store.list(userId);
  }

  async begin({ userId, sessionId }: SessionUser): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const passkeys = await this.store.list(userId);
    if (passkeys.length >= PASSKEYS_MAX) throw tooMany();
    const challenge = this.party.newChallenge();
    const asked = { challenge, userId, sessionId, purpose: 'registration' } as const;
    await this.database.transaction((tx) => this.store.addChallenge(asked, tx));
    return this.party.registration(
      challenge,
      { id: userId, email: await this.users.emailOf(userId) },
      passkeys,
    );
  }

  async register({ userId, sessionId }: SessionUser, name: string, text: string): Promise<Registered> {
    const { answer, challenge } = answerIn<RegistrationResponseJSON>(text) ?? {};
    if (!answer || !challenge) throw invalid();
    const asked = { challenge, userId, sessionId, purpose: 'registration' } as const;
    if (!(await this.store.consumeChallenge(asked))) throw invalid();
    const credential = await this.party.registered(answer, challenge);
    if (!credential) throw invalid();
    const registering = {
      id: newId(),
      userId,
      credentialId: Buffer.from(credential.id, 'base64url'),
      publicKey: Buffer.from(credential.publicKey),
      counter: credential.counter,
      transports: transportsOf(credential.transports),
      name,
    };
    const codes = newRecoveryCodes();
    return this.database.transaction(async (tx) => {
      await this.store.lockUser(userId, tx);
      if ((await this.store.count(userId, tx)) >= PASSKEYS_MAX) throw tooMany();
      const isFirst = (await this.factors.since(userId, tx)) === null;
      const passkey = await this.store.add(registering, tx);
      if (isFirst) await this.factors.replaceRecoveryCodes(userId, codes.map(hashRecoveryCode), tx);
      await this.events.publish(
        [
          new SecurityChanged({ userId, change: 'passkey-added', passkey: { id: passkey.id, name } }),
          ...(isFirst ? [new SecurityChanged({ userId, change: 'two-factor-enabled' })] : []),
        ],
        tx,
      );
      return { passkey, recoveryCodes: isFirst ? codes : null };
    });
  }

  async rename({ userId, accountId }: SessionUser, id: string, name: string): Promise<Passkey> {
    return this.database.transaction(async (tx) => {
      const passkey = isUuid(id) ? await this.store.rename(userId, id.toLowerCase(), name, tx) : null;
      if (!passkey) throw passkeyNotFound();
      const [before, after] = [{ name: passkey.name }, { name }];
      const act = 'security.passkey-renamed';
      await this.events.publish(
        [new AccountActed({ accountId, userId, act, subject: id, before, after })],
        tx,
      );
      return { ...passkey, name };
    });
  }

  async remove(userId: string, id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.store.lockUser(userId, tx);
      const passkey = isUuid(id) ? await this.store.remove(userId, id.toLowerCase(), tx) : null;
      if (!passkey) throw passkeyNotFound();
      const isLast = await this.factors.endWithLast(userId, tx);
      const { name } = passkey;
      await this.events.publish(
        [
          new SecurityChanged({ userId, change: 'passkey-removed', passkey: { id: passkey.id, name } }),
          ...(isLast ? [new SecurityChanged({ userId, change: 'two-factor-disabled' })] : []),
        ],
        tx,
      );
    });
  }
}

function transportsOf(named: unknown): string[] {
  const known = (each: unknown): each is string => typeof each === 'string' && TRANSPORT.test(each);
  return Array.isArray(named) ? named.filter(known).slice(0, TRANSPORTS_MAX) : [];
}

function invalid(): AppError {
  return new AppError('INVALID_PASSKEY', 'This passkey was not accepted. Begin again.');
}

function tooMany(): AppError {
  return new AppError('PASSKEY_LIMIT_REACHED', `You have ${PASSKEYS_MAX} passkeys. Remove one first.`);
}
