import { Injectable } from '@nestjs/common';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import { AppError } from '../../../kernel/errors.js';
import { Database } from '../../../platform/database/database.js';
import type { Prover } from '../identity.port.js';
import { PasskeysStore } from './passkeys.store.js';
import { answerIn, RelyingParty } from './relying-party.js';

@Injectable()
export class PasskeyProofs {
  constructor(
    private readonly store: PasskeysStore,
    private readonly party: RelyingParty,
    private readonly database: Database,
  ) {}

  async challenge({ userId, sessionId }: Prover): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const passkeys = await this.store.list(userId);
    if (passkeys.length === 0) throw passkeyNotFound();
    const challenge = this.party.newChallenge();
    const asked = { challenge, userId, sessionId, purpose: 'proof' } as const;
    await this.database.transaction((tx) => this.store.addChallenge(asked, tx));
    return this.party.proof(challenge, passkeys);
  }

  /** A refused answer consumes the challenge too. */
  async accept({ userId, sessionId }: Prover, proof: string): Promise<boolean> {
    const { answer, challenge } = answerIn<AuthenticationResponseJSON>(proof) ?? {};
    if (!answer || !challenge) return false;
    const asked = { challenge, userId, sessionId, purpose: 'proof' } as const;
    if (!(await this.store.consumeChallenge(asked))) return false;
    return this.database.transaction(async (tx) => {
      const passkey = await this.store.lock(userId, Buffer.from(answer.id, 'base64url'), tx);
      const counter = passkey && (await this.party.proven(answer, challenge, passkey));
      if (!passkey || counter === null) return false;
      await this.store.noteUse(passkey.id, counter, tx);
      return true;
    });
  }
}

export function passkeyNotFound(): AppError {
  return new AppError('PASSKEY_NOT_FOUND', 'Passkey not found.');
}
