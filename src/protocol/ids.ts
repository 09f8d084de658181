/** The ids that people and programs name things by, the form of a signed message, and the patterns they must fit. */

/**
 * The longest workflow id that Planwright makes. The official SQL schemas allow 255 characters, and children append to
 * it.
 */
const MAX_WORKFLOW_ID = 120;

/**
 * `plan-<goal as a slug>-<unique>`; the caller brings the unique part, since randomness is an effect.
 * @example planWorkflowId('Find kinases!', '9f3c') // 'plan-find-kinases-9f3c'
 */
export function planWorkflowId(goal: string, unique: string): string {
  const slug = goal
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, MAX_WORKFLOW_ID - 'plan--'.length - unique.length)
    .replace(/-+$/, '');
  return slug === '' ? `plan-${unique}` : `plan-${slug}-${unique}`;
}

/** `node_1` is the node at index 0. */
export function nodeId(index: number): string {
  return `node_${index + 1}`;
}

export function nodeIndex(id: string): number {
  return Number(id.slice('node_'.length)) - 1;
}

export function isNodeId(value: unknown): value is string {
  return typeof value === 'string' && /^node_[1-9]\d{0,8}$/.test(value);
}

/** A digest or its first 8 or more hex digits, in either case. */
export function isDigest(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{8,64}$/i.test(value);
}

/** All 64 digits: a signed message needs the whole digest, since the first digits are easy to forge. */
export function isWholeDigest(value: unknown): boolean {
  return isDigest(value) && value.length === 64;
}

/** A reference into the result store: 43 characters of base64url, or a digest. */
export function isRef(value: unknown): value is string {
  return typeof value === 'string' && REF.test(value);
}

const REF = /^(?:[\w-]{43}|[0-9a-f]{64})$/;

/** A token is in the history of its run. */
export const MAX_TOKEN_CHARACTERS = 65_536;
/** A compact JWS (RFC 7515): three parts, base64url, the last the 64 bytes of an Ed25519 signature. */
export const TOKEN_FORM = /^[\w-]+\.[\w-]+\.([\w-]{86})$/;

/** The signature of a token identifies it: no other content and no other key has the same. */
export function signatureOf(token: string): string {
  return TOKEN_FORM.exec(token)?.[1] ?? token;
}

/** The step of a round, as people, plans and results know it. @param call which of several reads, from 1 */
export function stepKey(round: number, call?: number): string {
  return call === undefined ? `step_${round}` : `step_${round}_${call}`;
}
