import { combineSets, observeSets, type ResultSet } from '../plan/algebra/index.ts';
import { checkQuestion, type CapabilityRegistry } from '../capabilities/builtin/index.ts';
import { readArguments, type Capability, type TaskContext } from '../capabilities/index.ts';
import {
  foldAgentName,
  type CombineNode,
  type CompiledPlan,
  type Executor,
  type JsonValue,
  type TaskNode,
} from '../plan/index.ts';
import type { ResultStore } from '../store/index.ts';
import {
  executorLabel,
  given as known,
  type Asked,
  type NodeReply,
  type Noted,
  type ResultHandle,
  RunFailureError,
} from '../protocol/index.ts';
import { Blocked, uncertain, UNSETTLED } from './begin-effect.ts';
import { verifyEffect, type Verifying } from './verify-effect.ts';
import { storeReturned, readInput, type StoreNode, taskArguments, taskInputs } from './node-results.ts';
import type { Revision } from './revision.ts';

/** What the caller of `runTask` provides. */
export interface Attempt extends Pick<TaskContext<unknown>, 'idempotencyKey' | 'model' | 'signal' | 'heartbeat'> {
  readonly lastHeartbeat: JsonValue | undefined;
  /** Must be called right before the capability. Throws if the effect may not begin. */
  begin(capability: Capability, args: unknown, resource?: string): Promise<Pick<TaskContext<unknown>, 'claimToken'>>;
  readonly keep: StoreNode;
}

export async function runTask(
  { plan, executorOf }: Revision,
  node: TaskNode,
  inputs: readonly string[],
  registry: CapabilityRegistry,
  store: ResultStore,
  { begin, keep, lastHeartbeat, ...attempt }: Attempt,
): Promise<NodeReply> {
  const { capability, resource } = approvedExecutor(node, executorOf(node.id), registry);
  await checkUnchanged(capability, attempt.signal);
  const given = {
    ...(await contextOf(plan, node, capability, inputs, store, attempt)),
    ...(lastHeartbeat !== undefined && { lastHeartbeat }),
  };
  // If the part or the run was stopped while the arguments were read, the capability must not be called.
  attempt.signal.throwIfAborted();
  if (capability.kind === undefined && capability.waitsFor !== undefined) {
    const missing = await capability.waitsFor(attempt.signal);
    if (missing !== undefined) throw new Blocked(missing, { lacks: 'queue' });
  }
  const task = { ...given, ...(await begin(capability, given.arguments, resource)) };
  if (capability.kind === 'wait') return { asks: questionOf(capability.name, await capability.execute(task)) };
  return storeReturned(capability, () => capability.execute(task), keep, attempt.signal);
}

async function contextOf<Rest extends object>(
  plan: CompiledPlan,
  node: TaskNode,
  capability: Capability,
  inputs: readonly string[],
  store: ResultStore,
  attempt: Rest,
) {
  return {
    ...attempt,
    ...writtenFields(node),
    goal: capability.usesGoal === false ? '' : plan.goal,
    arguments: checkedArguments(capability, jsonCopy(await taskArguments(plan, node, inputs, store), 'arguments')),
    inputs: taskInputs(plan, node, inputs, store),
  };
}

/**
 * Asks the probe whether a claimed effect has happened.
 * @throws RunFailureError if the probe does not know
 */
export async function runProbe(
  { plan, executorOf }: Revision,
  node: TaskNode,
  inputs: readonly string[],
  registry: CapabilityRegistry,
  store: ResultStore,
  { claimed, keep, beginning, isOver, ...attempt }: Probing,
): Promise<NodeReply> {
  const executor = workerExecutor(node, registry);
  const isApproved = executor !== undefined && executorLabel(executor) === executorOf(node.id);
  const capability = isApproved ? registry.capability(executor.name) : undefined;
  if (capability === undefined || capability.kind === 'wait' || capability.verify === undefined)
    throw uncertain(claimed, UNSETTLED);
  // The effect has begun, so a version error, which means "not begun", must not be reported.
  await checkUnchanged(capability, attempt.signal).catch(() => {
    attempt.signal.throwIfAborted();
    throw uncertain(claimed, UNSETTLED);
  });
  const about = { ...attempt, ...known({ claimToken: claimed.claimToken, isOver: isOver || undefined }) };
  const task = await contextOf(plan, node, capability, inputs, store, about);
  return verifyEffect({ capability, task, claimed, beginning, keep, isOver });
}

type Probing = Pick<TaskContext<unknown>, 'idempotencyKey' | 'signal' | 'heartbeat'> &
  Pick<Verifying, 'claimed' | 'keep' | 'beginning' | 'isOver'>;

const WRITTEN = [
  'hint',
  'context',
  'contextKey',
  'action',
  'description',
  'expectedOutput',
  'successCriteria',
] as const;

/** The fields of the plan that `execute` receives unchanged. All of them are part of the node's key. */
function writtenFields(node: TaskNode): Pick<TaskContext<unknown>, 'task' | 'inputTypes' | (typeof WRITTEN)[number]> {
  const { task, inputTypes } = node;
  const present = WRITTEN.flatMap((field): readonly (readonly [string, JsonValue])[] => {
    const value = node[field];
    return value === undefined ? [] : [[field, jsonCopy(value, field)]];
  });
  return { task, ...Object.fromEntries(present), ...(inputTypes !== undefined && { inputTypes: { ...inputTypes } }) };
}

function questionOf(name: string, value: unknown): Asked['asks'] {
  const checked = checkQuestion(value);
  if (checked.ok) return checked.question;
  const problems = checked.problems.map(({ path, message }) => `${['question', ...path].join('.')}: ${message}`);
  throw new RunFailureError('CRITICAL', `capability ${name} asks what cannot be asked; ${problems.join('; ')}`);
}

/** Checks the arguments again by the compiler's rules, now with the values that replace references. */
export function checkedArguments({ name, input }: Capability, args: JsonValue): unknown {
  const read = readArguments(input, args);
  if (read.ok) return read.value;
  const problems = read.problems
    .slice(0, MAX_PROBLEMS)
    .map(({ path, message }) => `${['arguments', ...path].join('.')}: ${message}`);
  const more = read.problems.length - problems.length;
  const rest = more > 0 ? `; and ${more} more` : '';
  throw new RunFailureError('REPLANNING', `the arguments do not fit ${name}: ${problems.join('; ')}${rest}`);
}

const MAX_PROBLEMS = 10;

export async function runCombine(
  node: CombineNode,
  inputs: readonly string[],
  store: ResultStore,
  keep: StoreNode,
): Promise<ResultHandle & Noted> {
  const [left, right] = await Promise.all([
    readSet(node, 'left', inputs[0], store),
    readSet(node, 'right', inputs[1], store),
  ]);
  const combined = combineSets(node.operator, left, right, node.colocate);
  if (!combined.ok) throw new RunFailureError('REPLANNING', `${node.operator}: ${combined.message}`);
  return keep({ kind: 'set', set: combined.set }, observeSets(node.operator, left, right));
}

/** This worker's executor for a task; undefined if there is none, or if the task's resource is unclear. */
export function workerExecutor(node: TaskNode, registry: CapabilityRegistry): Executor | undefined {
  const executor = namedExecutor(node, registry);
  // The compiler rejects a plan if a resource depends on incomplete arguments.
  const found = executor && registry.resourceOf?.(executor, node.arguments, true);
  if (found?.ok === false) return undefined;
  const { ok: _, ...facts } = found ?? { ok: true };
  return executor && { ...executor, ...facts };
}

function namedExecutor({ capability, agent }: TaskNode, registry: CapabilityRegistry): Executor | undefined {
  if (capability !== undefined) return registry.executor('capability', capability);
  if (agent === undefined) return registry.defaultExecutor;
  const named = registry.agents.find((name) => foldAgentName(name) === foldAgentName(agent));
  return named === undefined ? undefined : registry.executor('agent', named);
}

/** The approved executor of a task. Throws if this worker would use another executor. */
export function approvedExecutor(
  node: TaskNode,
  approved: string | undefined,
  registry: CapabilityRegistry,
): { readonly capability: Capability; readonly resource?: string | undefined } {
  const executor = workerExecutor(node, registry);
  const label = executor === undefined ? 'none' : executorLabel(executor);
  if (executor?.kind === 'agent' && label === approved) {
    throw new RunFailureError('FATAL', `agent ${executor.name} is carried out by a run of its own, not by an activity`);
  }
  const capability = executor?.kind === 'capability' ? registry.capability(executor.name) : undefined;
  if (capability === undefined || label !== approved) {
    throw new RunFailureError(
      'CapabilityChanged',
      `the plan was approved with "${approved ?? 'none'}" for this task, this worker has "${label}"; ` +
        'run a worker with the approved version, or start the plan again',
    );
  }
  return { capability, resource: executor?.resource };
}

/** Checks that the capability has not changed since the worker started. @throws RunFailureError `CapabilityChanged` */
async function checkUnchanged(capability: Capability, signal: AbortSignal): Promise<void> {
  if (capability.kind === 'wait' || capability.versionNow === undefined) return;
  const { name, version } = capability;
  const now = await capability.versionNow(signal);
  if (now === version) return;
  throw new RunFailureError(
    'CapabilityChanged',
    `${name}@${version} was approved, and is ${name}@${now} since; start the worker again, and have the plan approved again`,
  );
}

async function readSet(
  node: CombineNode,
  side: 'left' | 'right',
  ref: string | undefined,
  store: ResultStore,
): Promise<ResultSet> {
  if (ref === undefined) throw new RunFailureError('FATAL', `${node.operator}: the ${side} input is missing`);
  const result = await readInput(store, ref);
  if (result.kind === 'set') return result.set;
  throw new RunFailureError(
    'REPLANNING',
    `${node.operator} takes two sets, its ${side} input ${node.inputs[side === 'left' ? 0 : 1]} is a ${result.kind}`,
  );
}

/**
 * Copies a JSON value. The compiler and the store limit its depth.
 * @throws RunFailureError `CRITICAL` for a key `__proto__`, which would change the prototype of the copy
 */
export function jsonCopy(value: JsonValue, path: string): JsonValue {
  if (Array.isArray(value)) return value.map((one: JsonValue, at) => jsonCopy(one, `${path}[${at}]`));
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, JsonValue> = {};
  for (const [key, one] of Object.entries(value as Readonly<Record<string, JsonValue>>)) {
    if (key === '__proto__') {
      throw new RunFailureError('CRITICAL', `${path}: no capability is given a key "__proto__"; name it otherwise`);
    }
    copy[key] = jsonCopy(one, `${path}.${key}`);
  }
  return copy;
}
