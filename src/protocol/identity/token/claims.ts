import { base64urlnopad } from '@scure/base';
import { DEFAULT_NAMESPACE } from '../../messages.ts';
import { describe, isDeeperThan, isRecord } from '../../payload.ts';
import { jsonIn, quoteForShell, repeatedKey, textOfBytes } from '../../../plan/text/index.ts';

/** Maximum difference between the clocks of two machines, in seconds. */
export const LEEWAY_SECONDS = 60;

/**
 * Maximum life of a token, from `iat` to `exp`, in seconds: as long as a plan waits for its decision by default.
 * @bound [approving] the life of a token @beyond the token is rejected as `not-verified`
 */
export const LONGEST_LIFE_SECONDS = 24 * 60 * 60;

export { MAX_TOKEN_CHARACTERS } from '../../ids.ts';

/** Maximum length of the name of a person, a role or a key, in UTF-16 code units. */
export const MAX_NAME_CHARACTERS = 200;

/** Maximum levels of objects and lists in a message. Node's JSON.stringify fails at some thousands. */
export const MAX_MESSAGE_DEPTH = 1000;

export interface Claims {
  readonly sub: string;
  readonly role?: string;
  /** The workflow id of the run that the message is for. */
  readonly aud: string;
  readonly ns?: string;
  /** The run id of the first execution, from the run's `status`; absent in a start, which has no run yet. */
  readonly firstRunId?: string;
  /** Seconds since 1970, also in `exp` and `nbf`. */
  readonly iat: number;
  readonly exp: number;
  readonly nbf?: number;
  /** The id of this message. A run applies each id once. */
  readonly jti: string;
  readonly message: Record<string, unknown>;
}

export type ReadClaims =
  | { readonly ok: true; readonly claims: Claims }
  | { readonly ok: false; readonly reason: string };

/** The run that received a token. A workflow id is unique only in its namespace. */
export interface AddressedRun {
  readonly workflowId: string;
  readonly namespace?: string;
  /** The run id of the first execution. If absent, it is not compared. */
  readonly firstRunId?: string;
}

/** Parses the claims of a token to a run. Never throws. @param now if undefined, the times are not checked */
export function readClaims(payload: unknown, place: AddressedRun, now: Date | undefined): ReadClaims {
  if (!isRecord(payload)) return { ok: false, reason: `the claims: expected an object, got ${describe(payload)}` };
  const reason = shapeProblem(payload) ?? timeProblem(payload as unknown as Claims, now) ?? runProblem(payload, place);
  return reason === undefined ? { ok: true, claims: payload as unknown as Claims } : { ok: false, reason };
}

const KNOWN: readonly (keyof Claims)[] = [
  'sub',
  'role',
  'aud',
  'ns',
  'firstRunId',
  'iat',
  'exp',
  'nbf',
  'jti',
  'message',
];
const TIMES = ['iat', 'exp', 'nbf'];
/** Keys that a message must not contain, since they could contradict its token. */
const OUTSIDE = ['by', 'role', 'token'];
const NAME = `a text of one line, at most ${MAX_NAME_CHARACTERS} characters, without space at its ends`;
const MESSAGE = 'an object such as {"kind":"approve","digest":"3fa9c1d2"}';
/** The largest time that a Date can hold, in seconds since 1970. */
const LAST_SECOND = 8.64e12;

function shapeProblem(payload: Record<string, unknown>): string | undefined {
  const { sub, role, jti, message } = payload;
  const unknown = Object.keys(payload).find((key) => !KNOWN.some((known) => known === key));
  if (unknown !== undefined) return `unknown claim ${describe(unknown)}; known are ${KNOWN.join(', ')}`;
  if (!isName(sub)) return `sub: expected who speaks, ${NAME}, got ${describe(sub)}`;
  if (role !== undefined && !isName(role)) return `role: expected ${NAME}, got ${describe(role)}`;
  if (!isName(jti)) return `jti: expected an id for this message alone, such as a UUID, ${NAME}, got ${describe(jti)}`;
  for (const key of TIMES) {
    const time = payload[key];
    if ((key !== 'nbf' || time !== undefined) && !isTime(time)) {
      return `${key}: expected a number of seconds since 1970, got ${describe(time)}`;
    }
  }
  if (!isRecord(message)) return `message: expected ${MESSAGE}, got ${describe(message)}`;
  const outside = OUTSIDE.find((key) => Object.hasOwn(message, key));
  if (outside !== undefined) {
    return `message must not contain "${outside}": who speaks is said by the sub and the role of the token`;
  }
  return isDeeperThan(MAX_MESSAGE_DEPTH, message)
    ? `message: more than ${MAX_MESSAGE_DEPTH} levels of objects and lists`
    : undefined;
}

function timeProblem(claims: Claims, now: Date | undefined): string | undefined {
  return (now === undefined ? undefined : hourProblem(claims, now)) ?? lifeProblem(claims);
}

function hourProblem({ iat, exp, nbf }: Claims, now: Date): string | undefined {
  const seconds = Math.floor(now.getTime() / 1000);
  const clock = `it is ${iso(seconds)} on this clock, and ${LEEWAY_SECONDS} s of difference are allowed`;
  if (exp <= seconds - LEEWAY_SECONDS) {
    return `the token expired at ${iso(exp)}; ${clock}. Make a new one; if it is new, look at the clock of the machine that signs`;
  }
  if (nbf !== undefined && nbf > seconds + LEEWAY_SECONDS) {
    return `the token is not valid before ${iso(nbf)}; ${clock}. Send it then, or look at the clock of the machine that signs`;
  }
  if (iat > seconds + LEEWAY_SECONDS) {
    return `the token was made at ${iso(iat)}, in the future; ${clock}. Look at the clock of the machine that signs`;
  }
  return undefined;
}

function lifeProblem({ iat, exp }: Claims): string | undefined {
  const life = exp - iat;
  if (life > 0 && life <= LONGEST_LIFE_SECONDS) return undefined;
  return `the token lives for ${life} s, from iat to exp; expected 1 to ${LONGEST_LIFE_SECONDS} s (24 h). Make one with a shorter life`;
}

function runProblem(
  { aud, ns = DEFAULT_NAMESPACE, ...claims }: Record<string, unknown>,
  place: AddressedRun,
): string | undefined {
  const { workflowId, namespace = DEFAULT_NAMESPACE } = place;
  if (ns !== namespace) {
    return `the token was made for the namespace ${describe(ns)} and came to ${describe(namespace)}; make one with "ns":${describe(namespace)}`;
  }
  if (aud === workflowId) return chainProblem(claims, place);
  if (typeof aud !== 'string') return `aud: expected the workflow id of one run, as a text, got ${describe(aud)}`;
  return `the token was made for the run ${describe(aud)} and came to the run ${describe(workflowId)}; make one for this run`;
}

/** Checks the run id: if a closed workflow id is used again, the new run must not get the earlier run's messages. */
function chainProblem({ firstRunId, message }: Record<string, unknown>, place: AddressedRun): string | undefined {
  const { kind, action, name } = message as Record<string, unknown>;
  if (place.firstRunId === undefined || firstRunId === place.firstRunId || kind === 'start') return undefined;
  const run = quoteForShell(place.workflowId);
  const verb = [kind, action, name].find((one) => typeof one === 'string' && /^[a-z-]{1,20}$/.test(one)) ?? 'answer';
  return (
    `the token names ${firstRunId === undefined ? 'no run' : `the run ${describe(firstRunId)}`} of the id ${describe(place.workflowId)}, and came to ` +
    `${describe(place.firstRunId)}; make one with "firstRunId":${describe(place.firstRunId)}, or say it by \`planwright ${verb as string} ${run} --key FILE\``
  );
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= LAST_SECOND;
}

function iso(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

/**
 * Reads the message of an unverified token, to show what it is about; undefined if it has none. Never throws.
 * @example messageClaimedBy(token)?.['kind']; // 'start'
 */
export function messageClaimedBy(token: unknown): Readonly<Record<string, unknown>> | undefined {
  try {
    const text = textOfBytes(base64urlnopad.decode(String(token).split('.')[1] ?? '')) ?? '';
    const claims = jsonIn(text);
    return isRecord(claims) && isRecord(claims['message']) && repeatedKey(text) === undefined
      ? claims['message']
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether a value is a name of a person, role or key: one line of 1 to 200 characters, no space at the ends.
 * @example isName('operator'); // true, and isName(' operator') is false
 */
export function isName(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value !== '' &&
    value.length <= MAX_NAME_CHARACTERS &&
    value.trim() === value &&
    !UNPRINTABLE.test(value)
  );
}

/** Characters that a name must not contain: they are invisible or change the direction of text. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u{61C}\u{200E}\u{200F}\u{202A}-\u{202E}\u{2066}-\u{2069}]/u;
