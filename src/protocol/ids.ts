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

/**
 * A run: the chain of executions that hand-overs, resets and attempts of a workflow's retry policy make. Its workflow id is unique in
 * its namespace only, and one id may be started again when it has closed.
 */
export interface Owner {
  readonly namespace: string;
  readonly workflowId: string;
  /** The run id of its first execution; of an agent's run, that of its root. */
  readonly chain: string;
}

/** The place of a run in names: no two runs share one. @example placeName({ namespace: 'default', workflowId: 'plan-1', chain: '0196...' }) // 'default/plan-1/0196...' */
export function placeName({ namespace, workflowId, chain }: Owner): string {
  return `${namespace}/${workflowId}/${chain}`;
}

/**
 * The key by which the outside world recognises a repeated attempt of a capability. `occurrence`, `iteration` and
 * `retry` count intended repetitions; all are 0 in a plan that runs once.
 * @param binding the node's identity: its key and, if it reads the goal, the goal
 * @example idempotencyKey({ namespace: 'default', workflowId: 'plan-1', chain: '0196...' }, 'x7f...', { retry: 1 }) // 'default/plan-1/0196.../x7f.../0.0.1'
 */
export function idempotencyKey(
  place: Owner,
  binding: string,
  repetition: { occurrence?: number; iteration?: number; retry?: number } = {},
): string {
  const { occurrence = 0, iteration = 0, retry = 0 } = repetition;
  return `${placeName(place)}/${binding}/${occurrence}.${iteration}.${retry}`;
}

/**
 * The last digits of a chain distinguish the runs of a workflow id; the first contain the time, and are alike for a
 * minute.
 */
export function chainDigits(chain: string): string {
  return chain.slice(-8);
}

/** What the ids of a run's agents begin with. That of an agent has the digits of its chain in it already. */
export function agentsIdOf({ workflowId, chain }: Pick<Owner, 'workflowId' | 'chain'>): string {
  const digits = chainDigits(chain);
  return workflowId.includes(`.${digits}.`) ? workflowId : `${workflowId}.${digits}`;
}

/** The id of the activity of a node, and the end of that of an agent's run: work of the plan before an edit may still be under way under the plain id. */
export function activityIdOf(revision: number, node: string): string {
  return revision === 1 ? node : `r${revision}.${node}`;
}

/**
 * The id of an agent's run, from its node in the plan of this revision. A repeated node has further runs, and an agent
 * that an edit has moved keeps its id.
 * @example agentRunId({ workflowId: 'plan-1', chain: '0196...3fa9c1d2' }, 2, 'node_3'); // 'plan-1.3fa9c1d2.r2.node_3'
 */
export function agentRunId(run: Pick<Owner, 'workflowId' | 'chain'>, revision: number, node: string): string {
  return `${agentsIdOf(run)}.${activityIdOf(revision, node)}`;
}

/** The workflow id without these digits: the same for an agent of each run of an id. */
export function idInEachRun({ workflowId, chain }: Pick<Owner, 'workflowId' | 'chain'>): string {
  return workflowId.replace(`.${chainDigits(chain)}.`, '.');
}

/**
 * The name of a run for people: its workflow id, and the last 8 digits of its chain unless it is the newest of that id.
 */
export interface NamedRun {
  readonly workflowId: string;
  readonly digits?: string;
}

/** @example readRunName('plan-1@3fa9c1d2') // { workflowId: 'plan-1', digits: '3fa9c1d2' } */
export function readRunName(name: string): NamedRun {
  const [, workflowId = name, digits] = /^(.+)@([0-9a-f]{8})$/su.exec(name) ?? [];
  return { workflowId, ...(digits !== undefined && { digits }) };
}

/** A name that is unique among the runs of its workflow id. */
export function runName({ workflowId, chain }: Pick<Owner, 'workflowId' | 'chain'>): string {
  return `${workflowId}@${chainDigits(chain)}`;
}
