import { jsonIn } from '../text/index.ts';
import { canonicalJson, canonicalText, type ValueProblem } from './canonical-json.ts';
import { nodeIndex, isNodeId } from '../node-id.ts';
import type { CompiledPlan, JsonValue, NodeId, PlanNode, StoredPlan, TaskNode } from '../compiled-plan.ts';
import { draftOf, meaningText, type InputFields, type WrittenFields, TASK_FIELDS } from './task-fields.ts';
import { hash } from 'node:crypto';
import type { CombineDraft } from '../plan-reading.ts';
import { COLOCATE_FIELDS } from '../names.ts';
import { EVERY_OPERATOR, factsOf } from '../operators/index.ts';
import { isPlainObject } from '../plain-object.ts';

export const RESULT_FORMAT = 'planwright-result/1';

/** Maximum levels of lists and objects in a context value, as in the result store. */
export const CONTEXT_DEPTH = 256;

export type ContextRefs = Readonly<Record<string, string>>;

/** The text under which a result store saves a context value. Equal JSON values give equal texts. */
export function contextText(value: unknown): string {
  return `{"format":"${RESULT_FORMAT}","kind":"value","value":${canonicalJson(value as null)}}\n`;
}

/**
 * Returns the reference of a context value in the store of a run.
 * @throws TypeError if the value is not JSON
 */
export function contextRef(value: unknown): string {
  return hashText(contextText(value));
}

export function contextProblem(value: unknown): ValueProblem['reason'] | undefined {
  let found: ValueProblem['reason'] | undefined;
  const bounds = { depth: CONTEXT_DEPTH, budget: { left: Infinity } };
  canonicalText(value, bounds, ({ reason }) => void (found ??= reason));
  return found;
}

/** The references of a plan's context values by name; empty if the plan was compiled without the values. */
export function contextRefs(plan: Pick<CompiledPlan, 'tasks'>): ContextRefs {
  return Object.fromEntries(plan.tasks.flatMap(({ externalRefs = {} }) => Object.entries(externalRefs)));
}

/** Returns the same plan without the references of its context values, or the plan itself if it has none. */
export function withoutContext(plan: CompiledPlan): CompiledPlan {
  if (plan.tasks.every(({ externalRefs }) => externalRefs === undefined)) return plan;
  const { nodesById: _nodes, dependents: _dependents, digest: _digest, ...stored } = plan;
  const keys = new Map<string, string>();
  // Leaves combines unchanged: only a list of steps has context, and it contains no combines.
  const tasks = plan.tasks.map(({ externalRefs: _refs, ...task }): TaskNode => {
    const key = taskKey(
      draftOf(task),
      task,
      task.dependsOn.map((id) => keys.get(id)!),
    );
    keys.set(task.id, key);
    return { ...task, key };
  });
  return completePlan({ ...stored, tasks }, tasks);
}

/** Whether a task reads a context value that was unknown at the compile. */
export function lacksContext({ tasks }: Pick<CompiledPlan, 'tasks'>): boolean {
  return tasks.some(({ externalInputs = [], externalRefs = {} }) =>
    externalInputs.some((name) => !Object.hasOwn(externalRefs, name)),
  );
}

export type DecodeResult =
  | { readonly ok: true; readonly plan: CompiledPlan }
  | { readonly ok: false; readonly message: string };

/** Encodes a plan as canonical JSON (RFC 8785) of its `StoredPlan`. The SHA-256 of these bytes is its digest. */
export function encodePlan(plan: StoredPlan): Uint8Array {
  const fields = PLAN_FIELDS.flatMap((field) => (plan[field] === undefined ? [] : [[field, plan[field]] as const]));
  return encoder.encode(canonicalJson(Object.fromEntries(fields) as JsonValue));
}

/** Rebuilds a plan from its stored form. Bytes that are not a stored plan give a message. */
export function decodePlan(bytes: Uint8Array): DecodeResult {
  const parsed = jsonIn(bytes);
  if (parsed === undefined) return { ok: false, message: NOT_CANONICAL };
  const checked = checkStoredPlan(parsed);
  if (!checked.ok) return checked;
  try {
    const plan = completePlan(checked.plan, checked.nodes);
    if (plan.digest === hexDigest(bytes)) return { ok: true, plan };
  } catch {
    // Rejects half a surrogate pair, which UTF-8 cannot encode, so that `encodePlan` cannot have written it.
    return { ok: false, message: NOT_CANONICAL };
  }
  return {
    ok: false,
    message: 'This is no stored plan: it has another form (RFC 8785) than this version writes.',
  };
}

export function completePlan(stored: StoredPlan, nodes: readonly PlanNode[]): CompiledPlan {
  const lists: NodeId[][] = nodes.map(() => NO_IDS);
  for (const { id, dependsOn } of nodes) {
    for (const dependency of dependsOn) {
      const index = nodeIndex(dependency);
      // Starts with a list of one id: most nodes have one dependent, and a push to an empty array reserves 17 places.
      if (lists[index] === NO_IDS) lists[index] = [id];
      else lists[index]!.push(id);
    }
  }
  const nodesById: { [id: NodeId]: PlanNode } = {};
  const dependents: { [id: NodeId]: readonly NodeId[] } = {};
  for (let index = 0; index < nodes.length; index++) {
    const node = nodes[index]!;
    nodesById[node.id] = node;
    dependents[node.id] = lists[index]!;
  }
  return { ...stored, nodesById, dependents, digest: hexDigest(encodePlan(stored)) };
}

const NOT_CANONICAL = 'This is no stored plan: it is not canonical JSON in UTF-8.';
const encoder = new TextEncoder();
const NO_IDS: NodeId[] = [];

/**
 * The key of a task: the SHA-256 (base64url without padding) of the canonical JSON `[[keys of its inputs], fields]`.
 * `fields` are the fields that determine the meaning of the task.
 */
export function taskKey(task: WrittenFields, inputs: InputFields, inputKeys: readonly string[]): string {
  return hashText(meaningText(task, inputs, inputKeys));
}

/**
 * The key of a combine: the SHA-256 (base64url without padding) of the canonical JSON `[[left key, right key],
 * operator]`, with `colocate` as a third entry if present.
 */
export function combineKey({ operator, colocate }: CombineDraft, leftKey: string, rightKey: string): string {
  const parameters = colocate === undefined ? '' : `,${canonicalJson(colocate as unknown as JsonValue)}`;
  return hashText(`[["${leftKey}","${rightKey}"],"${operator}"${parameters}]`);
}

/** The identity of a node that gets the goal: the SHA-256 of its key and the goal, in base64url without padding. */
export function keyWithGoal(key: string, goal: string): string {
  return hashText(canonicalJson([key, goal]));
}

function hashText(text: string): string {
  return hash('sha256', text, 'base64url');
}

function hexDigest(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}

type StoredPlanCheck =
  | { readonly ok: true; readonly plan: StoredPlan; readonly nodes: readonly PlanNode[] }
  | { readonly ok: false; readonly message: string };

const PLAN_FIELDS = [
  'version',
  'goal',
  'root',
  'tasks',
  'combines',
  'complexity',
  'estimatedMinutes',
  'external',
] as const satisfies readonly (keyof StoredPlan)[];
const COMBINE_FIELDS = ['id', 'key', 'kind', 'operator', 'inputs', 'dependsOn', 'displayName', 'colocate'];

function checkStoredPlan(value: unknown): StoredPlanCheck {
  if (!isPlainObject(value)) return notStoredPlan('it is no object');
  if (value['version'] !== 1) return notStoredPlan('its version is not 1; it may come from a newer release');
  if (typeof value['goal'] !== 'string') return notStoredPlan('it has no goal');
  if (!hasOnly(value, PLAN_FIELDS)) return notStoredPlan('it has fields that this version does not write');
  const { tasks, combines, complexity = 'low', estimatedMinutes = 0, external = [] } = value;
  const hasSummary = isText(complexity) && typeof estimatedMinutes === 'number' && Array.isArray(external);
  if (!hasSummary || !external.every(isText)) return notStoredPlan('what it says beside its nodes is malformed');
  if (!Array.isArray(tasks) || !Array.isArray(combines)) return notStoredPlan('it has no lists of tasks and combines');
  const nodes = new Array<PlanNode | undefined>(tasks.length + combines.length).fill(undefined);
  for (const [records, isNode] of [
    [tasks, isTask],
    [combines, isCombine],
  ] as const) {
    let last = -1;
    for (const record of records as unknown[]) {
      const id = isPlainObject(record) && isNode(record) ? record['id'] : undefined;
      const index = isNodeId(id) ? nodeIndex(id) : Infinity;
      if (index >= nodes.length || nodes[index] !== undefined) return notStoredPlan('one of its nodes is malformed');
      if (index <= last) return notStoredPlan('its nodes are not in dependency order');
      last = index;
      if (!(record as PlanNode).dependsOn.every((input) => nodeIndex(input) < index)) {
        return notStoredPlan('one of its nodes depends on a later one');
      }
      nodes[index] = record as PlanNode;
    }
  }
  const { root } = value;
  if (!isNodeId(root) || nodeIndex(root) >= nodes.length) return notStoredPlan('its root is none of its nodes');
  return { ok: true, plan: value as unknown as StoredPlan, nodes: nodes as PlanNode[] };
}

type Fields = { readonly [key: string]: unknown };

function isTask(record: Fields): boolean {
  const kinds: Readonly<Record<string, string>> = TASK_FIELDS;
  const fits = ([field, value]: [string, unknown]) => {
    const kind = Object.hasOwn(kinds, field) ? kinds[field] : undefined;
    return kind !== undefined && (isText(value) || (kind !== 'text' && kind !== 'shown'));
  };
  const { kind, task, key, dependsOn } = record;
  return kind === 'task' && isText(task) && isKey(key) && isIdList(dependsOn) && Object.entries(record).every(fits);
}

function isCombine(record: Fields): boolean {
  const { inputs, dependsOn, colocate } = record;
  if (record['kind'] !== 'combine' || !isKey(record['key']) || !isText(record['displayName'])) return false;
  if (!hasOnly(record, COMBINE_FIELDS)) return false;
  if (isPlainObject(colocate) && !hasOnly(colocate, [...COLOCATE_FIELDS, 'left', 'right'])) return false;
  const operator = EVERY_OPERATOR.find((each) => each === record['operator']);
  if (operator === undefined || isPlainObject(colocate) !== factsOf(operator).located) return false;
  if (!isIdList(inputs) || inputs.length !== 2 || !isIdList(dependsOn)) return false;
  return [...new Set(inputs)].join() === dependsOn.join();
}

function hasOnly(record: Fields, fields: readonly string[]): boolean {
  return Object.keys(record).every((field) => fields.includes(field));
}

function isKey(value: unknown): boolean {
  return isText(value) && /^[\w-]{43}$/.test(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isIdList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isNodeId);
}

function notStoredPlan(reason: string): StoredPlanCheck {
  return { ok: false, message: `This is no stored plan: ${reason}.` };
}
