export { isNodeId, nodeId, nodeIndex } from '../plan/node-id.ts';

/** Maximum length of a workflow id. Temporal's SQL schemas allow 255 characters, and agents append to the id. */
const MAX_WORKFLOW_ID = 120;

/**
 * Makes a workflow id. The caller provides the unique part, so that this function stays deterministic.
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

/** Whether a value is a digest or its first 8 or more hex digits, in upper or lower case. */
export function isDigest(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{8,64}$/i.test(value);
}

/** Whether a value is a whole digest. Signed messages need all 64 digits, since the first ones are easy to forge. */
export function isWholeDigest(value: unknown): boolean {
  return isDigest(value) && value.length === 64;
}

/** Whether a value is a reference into the result store: 43 characters of base64url, or a digest. */
export function isRef(value: unknown): value is string {
  return typeof value === 'string' && REF.test(value);
}

const REF = /^(?:[\w-]{43}|[0-9a-f]{64})$/;

/** Maximum length of a token in characters. The history of the run contains every token. */
export const MAX_TOKEN_CHARACTERS = 65_536;
/** The form of a compact JWS (RFC 7515): three parts in base64url. The last is the Ed25519 signature. */
export const TOKEN_FORM = /^[\w-]+\.[\w-]+\.([\w-]{86})$/;

/** The signature of a token, unique for each content and key. */
export function signatureOf(token: string): string {
  return TOKEN_FORM.exec(token)?.[1] ?? token;
}

/** The key of a loop's step, for people and plans. @param call the number of the read in this step, counted from 1 */
export function stepKey(round: number, call?: number): string {
  return call === undefined ? `step_${round}` : `step_${round}_${call}`;
}

/**
 * Identifies a run, which may have several executions (continue-as-new, resets, retries). A workflow id is unique only
 * in its namespace, and may be used again after its run has closed.
 */
export interface Owner {
  readonly namespace: string;
  readonly workflowId: string;
  /** The run id of the first execution; for an agent's run, that of the topmost run. */
  readonly firstRunId: string;
}

/**
 * The unique name of a run.
 * @example runKey({ namespace: 'default', workflowId: 'plan-1', firstRunId: '0196...' }) // 'default/plan-1/0196...'
 */
export function runKey({ namespace, workflowId, firstRunId }: Owner): string {
  return `${namespace}/${workflowId}/${firstRunId}`;
}

/**
 * The idempotency key, by which external systems recognise a repeated attempt. `occurrence`, `iteration` and `retry`
 * count intended repetitions; all are 0 in a plan that runs once.
 * @param binding the node's identity: its key and, if the node reads the goal, the goal
 * @example idempotencyKey({ namespace: 'default', workflowId: 'plan-1', firstRunId: '0196...' }, 'x7f...', { retry: 1 }) // 'default/plan-1/0196.../x7f.../0.0.1'
 */
export function idempotencyKey(
  place: Owner,
  binding: string,
  repetition: { occurrence?: number; iteration?: number; retry?: number } = {},
): string {
  const { occurrence = 0, iteration = 0, retry = 0 } = repetition;
  return `${runKey(place)}/${binding}/${occurrence}.${iteration}.${retry}`;
}

/** The last 8 digits of a run id. The first digits encode the time, so runs of the same minute share them. */
export function chainDigits(firstRunId: string): string {
  return firstRunId.slice(-8);
}

/** The prefix of the workflow ids of a run's agents. An agent's own id already has the digits of its root run. */
export function agentsIdOf({ workflowId, firstRunId }: Pick<Owner, 'workflowId' | 'firstRunId'>): string {
  const digits = chainDigits(firstRunId);
  return workflowId.includes(`.${digits}.`) ? workflowId : `${workflowId}.${digits}`;
}

/** The id of a node's activity. It contains the revision, since an edited plan may reuse the node's id. */
export function activityIdOf(revision: number, node: string): string {
  return revision === 1 ? node : `r${revision}.${node}`;
}

/**
 * The workflow id of an agent's run, from its node. An agent that an edit moves to another node keeps its id.
 * @example agentRunId({ workflowId: 'plan-1', firstRunId: '0196...3fa9c1d2' }, 2, 'node_3'); // 'plan-1.3fa9c1d2.r2.node_3'
 */
export function agentRunId(run: Pick<Owner, 'workflowId' | 'firstRunId'>, revision: number, node: string): string {
  return `${agentsIdOf(run)}.${activityIdOf(revision, node)}`;
}

/** The workflow id of an agent without its root run's digits: the same for all runs of the root's workflow id. */
export function idInEachRun({ workflowId, firstRunId }: Pick<Owner, 'workflowId' | 'firstRunId'>): string {
  return workflowId.replace(`.${chainDigits(firstRunId)}.`, '.');
}

/** The name of a run: the workflow id and, unless it is the newest run, the last 8 digits of its first run id. */
export interface NamedRun {
  readonly workflowId: string;
  readonly digits?: string;
}

/** Parses the name of a run. @example readRunName('plan-1@3fa9c1d2') // { workflowId: 'plan-1', digits: '3fa9c1d2' } */
export function readRunName(name: string): NamedRun {
  const [, workflowId = name, digits] = /^(.+)@([0-9a-f]{8})$/su.exec(name) ?? [];
  return { workflowId, ...(digits !== undefined && { digits }) };
}

/** The name of a run with its digits, unique among the runs of one workflow id. */
export function runName({ workflowId, firstRunId }: Pick<Owner, 'workflowId' | 'firstRunId'>): string {
  return `${workflowId}@${chainDigits(firstRunId)}`;
}
