/**
 * The receipt of a run: an in-toto Statement (v1) in a DSSE envelope (v1.0.2), signed with Ed25519. Whoever has the
 * public keys verifies it without a server and a store.
 */

import { createPublicKey, sign, verify } from 'node:crypto';
import type { CompiledPlan } from '../../plan/index.ts';
import { jsonIn, messageOf } from '../../plan/text/index.ts';
import type { Owner } from '../ids.ts';
import { given, isRecord } from '../payload.ts';
import type { ResultHandle } from '../nodes.ts';
import { fits, type Of } from '../shape.ts';
import type { RunParts } from '../view.ts';
import { IdentityError, publicKeyOf, readPrivateKey } from './key-pair.ts';
import { verifyToken } from './token/index.ts';
import { publicKeysOf, type IdentityConfig } from './verifier.ts';

/** The parts of a run's view that a receipt is made of. */
export const RECEIPT_PARTS = ['status', 'plan', 'nodes', 'trace'] as const;
export type ReceiptView = Pick<RunParts, (typeof RECEIPT_PARTS)[number]>;
const PAYLOAD_TYPE = 'application/vnd.in-toto+json';
const DECISIONS: readonly string[] = ['decision', 'answer', 'control'];

export type Statement = ReturnType<typeof makeStatement>;

/**
 * Without texts of the plan and results, so that it can be given away: each is named by its SHA-256, as base64url.
 * @param records what workers have recorded of the nodes that they have finished
 * @param at when the run ended; absent while it is open
 */
export function makeStatement(
  { status, plan: shown, nodes: views, trace }: ReceiptView,
  { namespace, workflowId, chain: firstRunId, runId }: Owner & { readonly runId?: string },
  plan: CompiledPlan,
  records: readonly { readonly executor: string; readonly handle: ResultHandle }[],
  at?: string,
) {
  const { digest, revision, startedAt, outcome = 'aborted', reason, budget, usage, loop } = status;
  const decisions = trace.entries.filter(({ what }) => DECISIONS.includes(what));
  const grants = decisions.flatMap(({ said }) => (said !== undefined && 'grant' in said && said.grant) || []);
  const refs = new Map(views.map(({ id, result }) => [id, result?.ref ?? null]));
  const nodes = views.map(({ id, executor, effect, cost, status: is, result, failure, attempts, scheduledAt }) => {
    const node = plan.nodesById[id]!;
    const inputs = node.kind === 'combine' ? node.inputs : node.dependsOn;
    return {
      ...{ id, key: node.key, executor, status: is, inputs: inputs.map((input) => refs.get(input) ?? null) },
      ...given({ effect, cost, result, failure }),
      attempts: attempts ?? (scheduledAt === undefined ? 0 : 1),
    };
  });
  const predicate = {
    run: { namespace, workflowId, firstRunId, ...given({ runId }) },
    start: { at: startedAt, ...shown.start },
    ...(at !== undefined && { end: { at, outcome, ...given({ reason }) } }),
    plan: { digest, revision, ...given({ bounds: shown.bounds }) },
    ...{ decisions, grants, dropped: trace.dropped, ...given({ budget, usage, loop }), nodes, records },
  };
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: `${namespace}/${workflowId}`, digest: { sha256: digest } }],
    predicateType: 'urn:planwright:receipt:v1',
    predicate,
  } as const;
}

/**
 * The private key of workers, and its name among the `receiptKeys`.
 * @throws IdentityError if the key is none, or its public part is not in `identity.receiptKeys`
 */
export function receiptSigner(privateKey: string, { receiptKeys = {} }: Partial<IdentityConfig> = {}) {
  const key = readPrivateKey(privateKey);
  const own = publicKeyOf(key);
  const [keyid] = Object.entries(receiptKeys).find(([, { publicKey }]) => pemOf(publicKey) === own) ?? [];
  if (keyid !== undefined) return { keyid, key };
  throw new IdentityError(`receipts.key: its public part is not in identity.receiptKeys; add it there:\n${own}`);
}

const pemOf = (publicKey: string) => createPublicKey(publicKey).export({ type: 'spki', format: 'pem' });

const ENVELOPE = { payload: 'text', payloadType: 'text', signatures: [{ keyid: 'text', sig: 'text' }] } as const;
export type Envelope = Of<typeof ENVELOPE>;

export function sealReceipt(statement: Statement, { keyid, key }: ReturnType<typeof receiptSigner>): Envelope {
  const payload = Buffer.from(JSON.stringify(statement));
  const sig = sign(null, signedBytes(payload), key).toString('base64');
  return { payload: payload.toString('base64'), payloadType: PAYLOAD_TYPE, signatures: [{ keyid, sig }] };
}

/** The pre-authentication encoding (PAE) of DSSE. */
function signedBytes(payload: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `), payload]);
}

/** A receipt that is valid has no problems. */
export interface VerifiedReceipt {
  readonly problems: readonly string[];
  /** Absent unless the signature holds. */
  readonly statement?: Statement;
  /** Each decision whose own signature holds, by its `seq`: the message that its person signed. */
  readonly verified: ReadonlyMap<number, { readonly [name: string]: unknown }>;
}

/**
 * Verifies a receipt as text: every byte, the signature, and each token in it. Never throws.
 * @example verifyReceipt(text, { keys: { operator: { publicKey } }, receiptKeys: { workers: { publicKey } } }).problems; // []
 */
export function verifyReceipt(text: string, identity: IdentityConfig): VerifiedReceipt {
  const verified = new Map<number, Said>();
  const invalid = (problem: string) => ({ problems: [problem], verified: new Map<number, Said>() });
  const envelope = jsonIn(text);
  if (isRecord(envelope) && 'predicate' in envelope) return invalid('nobody has signed it');
  if (!fits(ENVELOPE, envelope) || envelope.payloadType !== PAYLOAD_TYPE) return invalid('it is not a receipt');
  const { payload, payloadType, signatures } = envelope;
  // What no signature covers, such as a space or the name of a field, must not be changed unseen either.
  const [{ keyid, sig } = { keyid: '', sig: '' }] = signatures;
  const written = { payload, payloadType, signatures: [{ keyid, sig }] };
  const forms = [JSON.stringify(written), JSON.stringify(written, null, 2)];
  if (!forms.includes(text.replace(/\n$/, ''))) return invalid('it was changed, or another program has formatted it');
  const key = Object.hasOwn(identity.receiptKeys ?? {}, keyid) ? identity.receiptKeys![keyid] : undefined;
  if (key === undefined) return invalid(`no receipt key is named ${JSON.stringify(keyid)}`);
  const [bytes, signature] = [payload, sig].map((part) => Buffer.from(part, 'base64')) as [Buffer, Buffer];
  const isCanonical = bytes.toString('base64') === payload && signature.toString('base64') === sig;
  if (!isCanonical || !verify(null, signedBytes(bytes), createPublicKey(key.publicKey), signature))
    return invalid(`the signature does not fit the receipt key ${JSON.stringify(keyid)}`);
  try {
    const statement = jsonIn(bytes) as Statement;
    return { statement, problems: problemsIn(statement, identity, verified), verified };
  } catch (error) {
    return invalid(`its statement cannot be read: ${messageOf(error)}`);
  }
}

/** @param verified gets the decisions whose signatures hold, by `seq`, each as its person signed it */
function problemsIn(statement: Statement, identity: IdentityConfig, verified: Map<number, Said>): string[] {
  const { run, start, plan, decisions } = statement.predicate;
  const problems: string[] = [];
  const keys = publicKeysOf(identity);
  const used = new Set<string>();
  const check = (about: string, said: Said, token: string, workflowId = run.workflowId): Said | undefined => {
    const isGrant = said['grant'] !== undefined && { isGrant: true as const };
    const read = verifyToken(token, { keys, workflowId, namespace: run.namespace, chain: run.firstRunId, ...isGrant });
    if (!read.ok) {
      problems.push(`${about}: ${read.reason}`);
      return undefined;
    }
    const signed: Said = { ...read.message, by: read.by, ...given({ role: read.role }) };
    // A grant names no plan, so only its signer can be compared; of a start only its kind is in a receipt.
    const all = about === START ? ['kind'] : [...new Set([...Object.keys(said), ...Object.keys(signed)])];
    const names = isGrant ? ['by', 'role'] : all.filter((name) => !OF_THE_RUN.includes(name));
    const other = names.find((name) => !isSame(name, said[name], signed[name]));
    // One token may not stand for two decisions.
    const isNew = !used.has(token) || isGrant !== false;
    used.add(token);
    if (other !== undefined) problems.push(`${about}: what was signed has another ${other}`);
    if (!isNew) problems.push(`${about}: its token is that of an earlier decision`);
    return other === undefined && isNew ? signed : undefined;
  };
  if (statement.subject[0].digest.sha256 !== plan.digest) problems.push('its subject is not its plan');
  // The start of an agent's run is that of the run for which the agent works, whose id begins the agent's.
  if (start.run !== undefined && !run.workflowId.startsWith(start.run)) problems.push(`${START}: it is of another run`);
  if (start.token !== undefined) check(START, { kind: 'start' }, start.token, start.run);
  let last = -1;
  for (const { seq, said = {} } of decisions) {
    if (seq <= last) problems.push(`decision ${seq}: it is not in the order of the trace`);
    last = seq;
    const { token, verified: isSigned } = said as Said;
    const signed = typeof token === 'string' ? check(`decision ${seq}`, said, token) : undefined;
    if (signed !== undefined) verified.set(seq, signed);
    if (token === undefined && isSigned === true) problems.push(`decision ${seq}: its signature is missing`);
  }
  return problems;
}

const START = 'the start';

/** Members of a decision that the run adds, or keeps in the store instead of the trace. */
const OF_THE_RUN: readonly string[] = ['verified', 'token', 'personKey', 'ref', 'revision', 'plan', 'value'];

/** A person may sign the first digits of a digest; the trace has all of them. */
function isSame(name: string, said: unknown, signed: unknown): boolean {
  if (name === 'digest') {
    const isPrefix = typeof said === 'string' && typeof signed === 'string' && said.startsWith(signed.toLowerCase());
    return signed === undefined || (isPrefix && signed.length >= 8);
  }
  const textIn = (value: unknown) => (typeof value === 'string' ? value.trim() : JSON.stringify(value ?? ''));
  return (said ?? '') === (signed ?? '') || textIn(said) === textIn(signed);
}

interface Said {
  readonly [name: string]: unknown;
}
