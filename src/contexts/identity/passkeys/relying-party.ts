import { randomBytes } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
  VerifiedRegistrationResponse,
} from '@simplewebauthn/server';
import { BRAND } from '../../../kernel/brand.js';
import { Config, passkeyOrigin } from '../../../platform/config.js';
import type { Passkey } from './passkeys.entity.js';

const CHALLENGE_BYTES = 32;
const TIMEOUT_MS = 300_000;
const ALGORITHMS = [-8, -7, -257];

export type RegisteredCredential = NonNullable<
  VerifiedRegistrationResponse['registrationInfo']
>['credential'];

interface Answer {
  readonly id: string;
  readonly response: { readonly clientDataJSON: string };
}

@Injectable()
export class RelyingParty {
  readonly origin: string;
  private readonly id: string;
  private readonly log = new Logger('passkeys');

  constructor(config: Config) {
    const url = passkeyOrigin(config);
    this.origin = url.origin;
    this.id = url.hostname;
  }

  newChallenge(): Buffer {
    return randomBytes(CHALLENGE_BYTES);
  }

  async registration(
    challenge: Buffer,
    user: { readonly id: string; readonly email: string },
    passkeys: readonly Passkey[],
  ): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const { generateRegistrationOptions } = await library();
    return generateRegistrationOptions({
      rpName: BRAND,
      rpID: this.id,
      userName: user.email,
      userDisplayName: user.email,
      userID: new Uint8Array(Buffer.from(user.id)),
      challenge: new Uint8Array(challenge),
      timeout: TIMEOUT_MS,
      excludeCredentials: passkeys.map(descriptorOf),
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
      supportedAlgorithmIDs: ALGORITHMS,
    });
  }

  async proof(
    challenge: Buffer,
    passkeys: readonly Passkey[],
  ): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const { generateAuthenticationOptions } = await library();
    return generateAuthenticationOptions({
      rpID: this.id,
      challenge: new Uint8Array(challenge),
      timeout: TIMEOUT_MS,
      allowCredentials: passkeys.map(descriptorOf),
      userVerification: 'required',
    });
  }

  async registered(
    answer: RegistrationResponseJSON,
    challenge: Buffer,
  ): Promise<RegisteredCredential | null> {
    const { verifyRegistrationResponse } = await library();
    const verified = await verifyRegistrationResponse({
      response: answer,
      ...this.expected(challenge),
      supportedAlgorithmIDs: ALGORITHMS,
    }).catch((error: unknown) => this.refuse(error));
    return verified?.registrationInfo?.credential ?? null;
  }

  /** The new counter; null: refused. */
  async proven(
    answer: AuthenticationResponseJSON,
    challenge: Buffer,
    { publicKey, counter }: Passkey,
  ): Promise<number | null> {
    const { verifyAuthenticationResponse } = await library();
    const verified = await verifyAuthenticationResponse({
      response: answer,
      ...this.expected(challenge),
      credential: { id: answer.id, publicKey: new Uint8Array(publicKey), counter },
    }).catch((error: unknown) => this.refuse(error));
    return verified?.verified ? verified.authenticationInfo.newCounter : null;
  }

  private expected(challenge: Buffer) {
    return {
      expectedChallenge: challenge.toString('base64url'),
      expectedOrigin: this.origin,
      expectedRPID: this.id,
      requireUserVerification: true,
    };
  }

  private refuse(error: unknown): null {
    this.log.warn(`a passkey was refused: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}

/** Null: not the JSON of a browser's answer. */
export function answerIn<Kind extends Answer>(text: string): { answer: Kind; challenge: Buffer } | null {
  const answer = parsed(text) as Partial<Kind> | null;
  const data = answer?.response?.clientDataJSON;
  if (typeof answer?.id !== 'string' || typeof data !== 'string') return null;
  const { challenge } = (parsed(Buffer.from(data, 'base64url').toString()) ?? {}) as { challenge?: unknown };
  if (typeof challenge !== 'string') return null;
  return { answer: answer as Kind, challenge: Buffer.from(challenge, 'base64url') };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function descriptorOf({ credentialId, transports }: Passkey) {
  return { id: credentialId.toString('base64url'), transports: [...transports] };
}

/** Slow to load. */
const library = () => import('@simplewebauthn/server');
