/**
 * The receipt of a run: an in-toto Statement (v1) in a DSSE envelope (v1.0.2), signed with Ed25519. Anybody with the
 * public keys can verify it without a server or a store.
 */

import { createPublicKey, sign, verify } from 'node:crypto';
import type { CompiledPlan } from '../../plan/index.ts';
import { jsonIn, messageOf } from '../../plan/text/index.ts';
import { chainDigits, type Owner } from '../ids.ts';
import { given, isRecord } from '../payload.ts';
import type { ResultHandle } from '../nodes.ts';
import { fits, type Of } from '../shape.ts';
import type { RunParts } from '../view.ts';
import { IdentityError, publicKeyOf, readPrivateKey } from './key-pair.ts';
import { verifyToken } from './token/index.ts';
import { publicKeysOf, type IdentityConfig } from './verifier.ts';

export const RECEIPT_PARTS = ['status', 'plan', 'nodes', 'trace'] as const;
export type ReceiptView = Pick<RunParts, (typeof RECEIPT_PARTS)[number]>;
const PAYLOAD_TYPE = 'application/vnd.in-toto+json';
const DECISIONS: readonly string[] = ['decision', 'answer', 'control'];

export type Statement = ReturnType<typeof makeStatement>;

/**
 * Makes the statement. It can be published: instead of texts and results of the plan it contains their SHA-256 as
 * base64url.
 * @param bindingOf returns the name under which workers record a node
 * @param records the workers' records of finished nodes
 * @param at when the run ended; absent while it is open
 */
export function makeStatement(
  { status, plan: shown, nodes: views, trace }: ReceiptView,
  { namespace, workflowId, firstRunId, runId }: Owner & { readonly runId?: string },
  plan: CompiledPlan,
  bindingOf: (node: string) => string | undefined,
  records: readonly { readonly binding: string; readonly executor: string; readonly handle: ResultHandle }[],
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
      ...given({ effect, cost, result, failure, binding: bindingOf(id) }),
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
 * The signer with the private key of workers, and the key's name among the `receiptKeys`.
 * @throws IdentityError if the key is unusable, or its public key is not in `identity.receiptKeys`
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

/** The result of a verification. A valid receipt has no problems. */
export interface VerifiedReceipt {
  readonly problems: readonly string[];
  /** Absent unless the signature is valid. */
  readonly statement?: Statement;
  /** The messages with a valid signature, as they were signed, by the index of the decision. */
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
  // Even text that no signature covers, such as a space or a field's name, must not change unnoticed.
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

/** Lists what is wrong. @param verified receives each message with a valid signature, by the index of its decision */
function problemsIn(statement: Statement, identity: IdentityConfig, verified: Map<number, Said>): string[] {
  const { run, start, plan, decisions } = statement.predicate;
  const problems: string[] = [];
  const { namespace, workflowId, firstRunId } = run;
  const keys = publicKeysOf(identity);
  if (statement.subject[0].digest.sha256 !== plan.digest) problems.push('its subject is not its plan');
  // The id of an agent's run begins with the id of its root run, which has the signed start.
  const root = workflowId.split(`.${chainDigits(firstRunId)}.`, 1)[0]!;
  const { at, token: startToken } = start;
  if (startToken !== undefined) {
    const read = verifyToken(startToken, { keys, workflowId: root, namespace, at, startedAt: at });
    if (!read.ok || read.message['kind'] !== 'start')
      problems.push(`the start: ${read.ok ? 'it is another message' : read.reason}`);
  }
  const tokens = new Set<unknown>([startToken]);
  for (const [place, { seq, said = {} }] of decisions.entries()) {
    const { token, verified: isSigned, grant } = said as Said;
    const problem = (text: string) => void problems.push(`decision ${seq}: ${text}`);
    if (seq <= (decisions[place - 1]?.seq ?? 0)) problem('it is not in the order of the run');
    if (token === undefined && isSigned === true) problem('its signature is missing');
    if (typeof token !== 'string') continue;
    // One grant can approve many plans, so it may occur several times.
    if (grant === undefined && tokens.has(token)) problem('the same message is there twice');
    tokens.add(token);
    const isGrant = grant !== undefined && { isGrant: true as const };
    const read = verifyToken(token, { keys, workflowId, namespace, firstRunId, ...isGrant });
    if (!read.ok) {
      problem(read.reason);
      continue;
    }
    const { plan: _plan, value: _value, ...message } = read.message;
    const approval = isGrant ? { kind: 'approve', digest: (said as Said)['digest'], grant } : message;
    const signed: Said = { ...approval, by: read.by, ...given({ role: read.role }) };
    const other = otherIn(said, signed, isGrant !== false);
    if (other === undefined) verified.set(place, signed);
    else problem(`what was signed has another ${other}`);
  }
  return problems;
}

/** Members of a decision that the run adds, completes or stores elsewhere. The signed message may lack them. */
const OF_THE_RUN = ['digest', 'revision', 'verified', 'personKey', 'ref', 'token', 'grant', 'plan', 'value'];

/** The first member in which a decision in the trace differs from its signed message. */
function otherIn(said: Said, signed: Said, isGrant: boolean): string | undefined {
  // The trace records no kind for answers and control actions.
  const hasKind = signed['action'] === undefined && signed['question'] === undefined;
  const names = [...Object.keys(said), ...Object.keys(signed).filter((name) => hasKind || name !== 'kind')];
  const checked = names.filter((name) => !OF_THE_RUN.includes(name) && !(isGrant && name === 'comment'));
  const other = checked.find((name) => JSON.stringify(said[name]) !== JSON.stringify(signed[name]));
  if (other !== undefined) return other;
  // People may sign the first digits of a digest. The trace has all digits.
  const { digest, ref } = signed;
  if (typeof digest === 'string' && !String(said['digest']).startsWith(digest.toLowerCase())) return 'digest';
  return ref === undefined || ref === said['ref'] ? undefined : 'ref';
}

interface Said {
  readonly [name: string]: unknown;
}
