import { answerOf, api, ApiError } from './request.js';

/* The calls about passkeys. The browser's part is loaded when one is first used. */

const library = () => import('@simplewebauthn/browser');
type Library = Awaited<ReturnType<typeof library>>;

export const passkeys = async () => (await answerOf(api.GET('/v1/auth/passkeys'))).data;

export type Passkey = Awaited<ReturnType<typeof passkeys>>['passkeys'][number];

/** This browser has passkeys. */
export const hasPasskeys = (): boolean => 'PublicKeyCredential' in window;

export async function addPasskey({ name, currentPassword }: { name: string; currentPassword: string }) {
  const begun = await answerOf(api.POST('/v1/auth/passkeys/registration', { body: { currentPassword } }));
  const { startRegistration } = await library();
  type Options = Parameters<Library['startRegistration']>[0]['optionsJSON'];
  const optionsJSON = begun.data.options as unknown as Options;
  const credential = JSON.stringify(await startRegistration({ optionsJSON }).catch(refused));
  return (await answerOf(api.POST('/v1/auth/passkeys', { body: { name, credential } }))).data;
}

export const renamePasskey = (passkeyId: string, name: string) =>
  answerOf(api.PATCH('/v1/auth/passkeys/{passkeyId}', { params: { path: { passkeyId } }, body: { name } }));

export const removePasskey = (passkeyId: string) =>
  answerOf(api.DELETE('/v1/auth/passkeys/{passkeyId}', { params: { path: { passkeyId } } }));

/** A passkey's proof for a call of this session. */
export const proveSession = async () =>
  proven((await answerOf(api.POST('/v1/auth/passkeys/challenge'))).data.options);

/** A passkey's proof for a sign-in. */
export const proveSignIn = async (body: { email: string; password: string }) =>
  proven((await answerOf(api.POST('/v1/auth/login/passkey', { body }))).data.options);

async function proven(options: object): Promise<string> {
  const { startAuthentication } = await library();
  type Options = Parameters<Library['startAuthentication']>[0]['optionsJSON'];
  return JSON.stringify(await startAuthentication({ optionsJSON: options as Options }).catch(refused));
}

/** The browser, its user or the device said no. */
function refused(error: unknown): never {
  const isKnown = error instanceof Error && error.name === 'InvalidStateError';
  const message = isKnown
    ? 'This device has a passkey for your account already.'
    : 'The browser provided no passkey. Try again, or use another way.';
  throw new ApiError(400, 'NO_PASSKEY', message);
}
