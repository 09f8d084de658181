/** Signs a message to a run. Its sender sends the result as `{ "token": ... }`. */

import { randomUUID, sign, type KeyObject } from 'node:crypto';
import { DEFAULT_NAMESPACE } from '../messages.ts';
import { IdentityError, readPrivateKey } from './key-pair.ts';
import { isName, MAX_TOKEN_CHARACTERS, readClaims, readGrant, type GrantTerms } from './token/index.ts';

/** A message to a run, with its sender and the key that signs it. */
export interface MessageToSign {
  /** PEM text of the Ed25519 private key (PKCS8), or the result of `unlockKey`. */
  readonly key: string | KeyObject;
  /** The name of the key in the project. Optional if the project has only one key. */
  readonly kid?: string | undefined;
  readonly by: string;
  readonly role?: string | undefined;
  /** The workflow id of the run that receives the message. The token is valid for no other run. */
  readonly workflowId: string;
  readonly namespace?: string | undefined;
  /** The run id of the run's first execution, from its `status`. Runs reject tokens without it, except a start. */
  readonly firstRunId?: string | undefined;
  /** The message as the sender would send it unsigned, without `by` and `role`. */
  readonly message: Readonly<Record<string, unknown>>;
  /** How long the token is valid, in seconds. Default 300, at most 86400. */
  readonly lifeSeconds?: number | undefined;
  readonly now?: Date | undefined;
}

/**
 * Signs a message. Resolves with the token.
 * @throws IdentityError if the key is unusable, or if every verifier would reject the token
 * @example await signMessage({ key, by: 'operator', workflowId: 'plan-1', message: { kind: 'approve', digest } });
 */
export async function signMessage(toSign: MessageToSign): Promise<string> {
  const {
    by,
    role,
    workflowId,
    namespace = DEFAULT_NAMESPACE,
    firstRunId,
    message,
    lifeSeconds = 300,
    now = new Date(),
  } = toSign;
  const iat = Math.floor(now.getTime() / 1000);
  const claims = {
    sub: by,
    ...(role !== undefined && { role }),
    aud: workflowId,
    ...(namespace !== DEFAULT_NAMESPACE && { ns: namespace }),
    ...(firstRunId !== undefined && { firstRunId }),
    iat,
    exp: iat + lifeSeconds,
    jti: randomUUID(),
    message,
  };
  return signed(toSign, 'message', claims, (payload) => readClaims(payload, { workflowId, namespace }, now));
}

interface GrantToSign extends Pick<MessageToSign, 'key' | 'kid' | 'by' | 'role' | 'namespace' | 'now'> {
  readonly terms: GrantTerms;
  /** When the grant expires, in seconds since 1970. */
  readonly until: number;
}

/** Signs a grant. Resolves with its token. @throws IdentityError as `signMessage` does */
export async function signGrant(toSign: GrantToSign): Promise<string> {
  const { by, role, namespace = DEFAULT_NAMESPACE, terms, until: exp, now = new Date() } = toSign;
  const claims = {
    sub: by,
    ...(role !== undefined && { role }),
    ...(namespace !== DEFAULT_NAMESPACE && { ns: namespace }),
    iat: Math.floor(now.getTime() / 1000),
    exp,
    jti: randomUUID(),
    grant: terms,
  };
  return signed(toSign, 'grant', claims, (payload) => readGrant(payload, namespace));
}

function signed(
  { key: given, kid }: Pick<MessageToSign, 'key' | 'kid'>,
  what: string,
  claims: object,
  read: (payload: unknown) => ReturnType<typeof readClaims>,
): string {
  const key = readPrivateKey(given);
  if (kid !== undefined && !isName(kid))
    throw new IdentityError('kid: expected the name of the key in the configuration');
  const text = jsonOf(claims);
  const checked = read(JSON.parse(text));
  if (!checked.ok) throw new IdentityError(`this ${what} cannot be signed: ${checked.reason}`);
  const header = JSON.stringify({ alg: 'EdDSA', ...(kid !== undefined && { kid }) });
  const body = [header, text].map((part) => Buffer.from(part).toString('base64url')).join('.');
  const token = `${body}.${sign(null, Buffer.from(body), key).toString('base64url')}`;
  if (token.length <= MAX_TOKEN_CHARACTERS) return token;
  throw new IdentityError(
    `this ${what} cannot be signed: its token has ${token.length} characters, at most ${MAX_TOKEN_CHARACTERS} are read; say less in one ${what}`,
  );
}

function jsonOf(claims: unknown): string {
  try {
    return JSON.stringify(claims);
  } catch (error) {
    throw new IdentityError(`this message cannot be signed: it is no JSON (${(error as Error).message})`);
  }
}
