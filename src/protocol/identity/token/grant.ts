/**
 * A standing grant: a signed approval of future runs, within limits, if their plans have the same shape. Its token is a
 * compact JWS like a message's, but its claims differ (`grant`, no `aud`), so that neither can pass as the other.
 */

import { jsonIn, textOfBytes } from '../../../plan/text/index.ts';
import { base64urlnopad } from '@scure/base';
import { DEFAULT_NAMESPACE } from '../../messages.ts';
import { describe, isRecord } from '../../payload.ts';
import { APPROVAL } from '../../project.ts';
import { allOf, eachOf, maybe, problemOf, textUpTo, typed, type Of, type Shape } from '../../shape.ts';
import { BUDGET, type Budget } from '../../spending.ts';
import { isName, LEEWAY_SECONDS, MAX_NAME_CHARACTERS, type Claims, type ReadClaims } from './claims.ts';

/** Maximum number of uses of a grant. */
const MAX_USES = 10_000;
/** Maximum life of a grant. */
const MAX_DAYS = 366;
/** Maximum length of the goal in a grant, in characters. */
export const GRANT_GOAL = 200;

const TERMS = {
  /** The SHA-256 (64 hex digits) of everything that an approval covers, except the values that may vary. */
  shape: 'ref',
  /** The start of the plan's goal, for people. */
  goal: textUpTo(GRANT_GOAL),
  /** The values that may vary: a JSON Schema by path, such as `node_2/arguments/amount`. */
  vary: eachOf('record'),
  /** The nodes with an effect and their executors, such as `{ node_2: 'capability pay@1 at-most-once' }`. */
  effects: eachOf('text'),
  /** The number of runs that the grant covers. */
  uses: 'count',
  /** The people whose signed starts the grant covers; absent if `anybody` is set. */
  starters: maybe(['name']),
  /** True if the grant also covers runs with an unsigned start. */
  anybody: 'true?',
  /** True if the grant also covers effects with a preview, whatever state the preview shows. */
  anyState: 'true?',
  /** When the grant becomes valid, in seconds since 1970. Default: when it was signed. */
  from: 'count?',
  /** The options that a run must have. */
  approval: APPROVAL,
  budget: maybe(typed<Budget>(BUDGET)),
} as const;

export interface GrantTerms extends Of<typeof TERMS> {}

export const GRANT_USE = {
  /** The name of the grant in the store: the hash of its signature, 32 hex digits. */
  id: 'name',
  token: 'text',
  /** The number of this run among the runs under the grant, from 1. */
  use: 'count',
  /** Indexes of nodes in the plan that the grant does not cover. */
  except: maybe(['count']),
} as const;

/** A grant that covers a run. */
export interface GrantUse extends Of<typeof GRANT_USE> {}

const CLAIMS = { sub: 'name', role: 'name?', ns: 'text?', iat: 'amount', exp: 'amount', jti: 'name' } as const;
const GRANT: Shape = allOf({ ...CLAIMS, grant: TERMS }, (value) => termsProblem(value as GrantClaims));

type GrantClaims = Of<typeof CLAIMS> & { readonly grant: GrantTerms };

/**
 * Parses the claims of a grant. Returns them in the form of a message's claims, with the terms as message. Never
 * throws.
 */
export function readGrant(payload: unknown, namespace = DEFAULT_NAMESPACE, now?: Date): ReadClaims {
  const problem = problemOf(GRANT, payload, 'claims');
  if (problem !== undefined) return { ok: false, reason: problem };
  const { grant, ns = DEFAULT_NAMESPACE, ...claims } = payload as GrantClaims;
  const reason =
    ns === namespace
      ? now && timeProblem({ ...claims, from: grant.from ?? claims.iat - LEEWAY_SECONDS }, now.getTime() / 1000)
      : `the grant is for the namespace ${describe(ns)}, and this run is in ${describe(namespace)}`;
  if (reason !== undefined) return { ok: false, reason };
  return { ok: true, claims: { ...(claims as Omit<Claims, 'aud' | 'message'>), aud: '', message: { ...grant } } };
}

/** Why a grant is invalid. Unknown fields are rejected, since they may be limits that this version cannot enforce. */
function termsProblem(claims: GrantClaims): string | undefined {
  const { grant, sub, role = sub, iat, exp } = claims;
  const { uses, starters = [], anybody } = grant;
  const unknown = [
    ...Object.keys(claims).filter((key) => key !== 'grant' && !Object.hasOwn(CLAIMS, key)),
    ...Object.keys(grant).filter((key) => !Object.hasOwn(TERMS, key)),
  ];
  if (unknown.length > 0) return `grant: unknown ${describe(unknown[0])}; a newer version may have made it`;
  const names = [sub, role, ...starters];
  const wrong = names.find((name) => !isName(name));
  if (wrong !== undefined)
    return `grant: expected a name of one line, at most ${MAX_NAME_CHARACTERS} characters, got ${describe(wrong)}`;
  if (uses < 1 || uses > MAX_USES) return `grant: expected 1 to ${MAX_USES} uses, got ${uses}`;
  if ((anybody === true) === starters.length > 0)
    return 'grant: expected those who may start its runs (starters), or anybody: true, and not both';
  const days = (exp - iat) / 86_400;
  return days > 0 && days <= MAX_DAYS
    ? undefined
    : `grant: expected an end within ${MAX_DAYS} days after it was signed`;
}

function timeProblem({ exp, from }: { readonly exp: number; readonly from: number }, now: number): string | undefined {
  const at = (seconds: number) => new Date(seconds * 1000).toISOString();
  if (now >= exp) return `the grant ended at ${at(exp)}, and it is ${at(now)}`;
  return now < from ? `the grant begins at ${at(from)}, and it is ${at(now)}` : undefined;
}

/** The terms of an unverified token; undefined if the token is no grant. Never throws. */
export function grantClaimedBy(token: string): GrantTerms | undefined {
  try {
    const claims = jsonIn(textOfBytes(base64urlnopad.decode(token.split('.')[1] ?? '')) ?? '');
    return isRecord(claims) && isRecord(claims['grant']) ? (claims['grant'] as unknown as GrantTerms) : undefined;
  } catch {
    return undefined;
  }
}
