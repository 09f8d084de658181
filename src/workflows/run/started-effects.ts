import type { StartedEffect, Nodes, RemovedEffect } from './state.ts';
import { effectOf, executorName, nodeId, given, type PlanShape, type RunStatus } from '../../protocol/index.ts';
import { valuesText } from '../../plan/outline/index.ts';
import { clockText, cutCharacters, oneLine, visible } from '../../plan/text/index.ts';
import type { Execution, Run } from './in-memory.ts';
import { isUncertain, openExecution } from './run.ts';
import { openNodes } from './nodes/progress.ts';
import { isEmpty, numbered } from './records.ts';
import { replaceTask } from './tasks.ts';

interface LocatedEffect extends StartedEffect {
  readonly key: string;
  /** True if the effect is at-most-once and may have happened. */
  readonly isUnknown?: boolean;
  readonly of?: Execution;
  readonly node?: number;
}

export interface Repetition extends LocatedEffect {
  /** True if another effect of the same capability has begun. It may be the same effect with other arguments. */
  readonly isOther?: true;
}

const EARLIER = 2000;

/** Records which effects of the open plan have begun. `isThere` tells whether the new plan has a node, too. */
export function rememberEffects(run: Run, isThere: (node: number) => boolean = () => false): void {
  const { execution, state } = run;
  if (execution === undefined) return;
  for (const { key, what, where, hasCompleted, node = 0 } of startedIn(run, execution)) {
    if (effectOf(execution.planShape, node) === 'at-most-once') continue;
    if (!hasCompleted && !isThere(node)) (state.unknownEffects ??= {})[where] = what;
    if (state.startedEffects[key] === undefined || hasCompleted)
      state.startedEffects[key] = { what, where, hasCompleted };
  }
  rememberRemoved(run, isThere);
}

/**
 * A sentence about the effects that would happen again after an approval of these nodes.
 * @example repetitionIn(run, [1]); // 'Set the magnet has run already (revision 1, node_2); approving this lets it run
 * again'
 */
export function repetitionIn(run: Run, nodes: readonly number[]): string | undefined {
  const again = new Map([...repetitionsOf(run, nodes).values()].map((one) => [one.key, one]));
  const [first] = again.values();
  if (first === undefined) return undefined;
  const others = again.size === 1 ? '' : `, and so have ${again.size - 1} more`;
  const lets = first.isOther === true ? ', by the same capability; approving this may let' : '; approving this lets';
  const reason = [...again.values()].some(({ isUnknown }) => isUnknown === true) ? ', and takes a reason' : '';
  return `${ranText(first)}${others}${lets} ${again.size === 1 ? 'it' : 'them'} run again${reason}`;
}

/** Why an approval of these nodes needs a reason: one of their effects may have happened and is not settled. */
export function uncertainRepetition(run: Run, nodes: readonly number[]): string | undefined {
  const first = [...repetitionsOf(run, nodes).values()].find(({ isUnknown }) => isUnknown === true);
  return first && ranText(first);
}

/** For each node, the effect that an approval of the node would repeat. */
export function repetitionsOf(run: Run, nodes: readonly number[]): ReadonlyMap<number, Repetition> {
  const { planShape } = run.execution ?? {};
  const again = new Map<number, Repetition>();
  if (planShape?.effectKeys === undefined) return again;
  const byKey = new Map<string, LocatedEffect>();
  const unknownOf = new Map<string | undefined, LocatedEffect>();
  for (const effect of allStarted(run)) {
    if (!byKey.has(effect.key) || effect.isUnknown === true) byKey.set(effect.key, effect);
    if (effect.isUnknown === true && effect.of !== undefined && isUncertain(effect.of, effect.node ?? 0))
      unknownOf.set(capabilityOf(effect.of, effect.node ?? 0), effect);
  }
  unknownOf.delete(undefined);
  for (const node of nodes) {
    const key = effectKeyOf(run, planShape.effectKeys[node] ?? '');
    const where = planShape.begunElsewhere?.[node];
    const elsewhere =
      where === undefined ? undefined : { key, what: planShape.summaries[node] ?? '', where, hasCompleted: false };
    // Nobody knows what an uncertain effect did, so another effect of its capability may be the same in other words.
    const like = unknownOf.get(capabilityOf(run.execution!, node));
    const found = byKey.get(key) ?? elsewhere ?? (like && { ...like, key, isOther: true as const });
    if (found !== undefined) again.set(node, found);
  }
  return again;
}

export function earlierText({ what, where, hasCompleted, isOther, of, node = 0 }: Repetition): string {
  const { label, resource } = of?.planShape.executors[of.planShape.executorOf[node]!] ?? {};
  const title = `${label === undefined ? '' : `${executorName(label)}: `}${oneLine(what)}`;
  const values = of?.planShape.values?.[node];
  const scheduled = of?.scheduledAt[node];
  const facts = [
    `${isOther === true ? 'perhaps the same, ' : ''}${hasCompleted ? 'has' : 'may have'} run already: ${title}`,
    `${where}${resource === undefined ? '' : `, on ${resource}`}`,
    ...(scheduled === undefined ? [] : [`begun at ${clockText(new Date(scheduled).toISOString())}`]),
    ...(values === undefined ? [] : [`with ${valuesText(values)}`]),
  ];
  return cutCharacters(visible(facts.join(', ')), EARLIER);
}

function ranText({ what, where, hasCompleted }: StartedEffect): string {
  return `${oneLine(what)} ${hasCompleted ? 'has' : 'may have'} run already (${where})`;
}

/** A loop's model rewords every step, so text cannot distinguish two effects of tasks without arguments. */
function effectKeyOf({ state }: Run, key: string): string {
  return state.loop === undefined ? key : key.split('.', 1)[0]!;
}

function capabilityOf({ planShape }: Execution, node: number): string | undefined {
  return planShape.executors[planShape.executorOf[node]!]?.name;
}

function* allStarted(run: Run): Generator<LocatedEffect> {
  const { execution, state } = run;
  for (const [key, effect] of Object.entries(state.startedEffects)) yield { key, ...effect };
  for (const removed of Object.values(state.removedEffects ?? {})) yield* startedIn(run, openRemoved(removed), removed);
  if (execution !== undefined) yield* startedIn(run, execution);
}

const MAX_NAMED = 100;
const SUMMARY = 200;

/** Of at-most-once effects only those that a person skipped: the others are settled, or wait to be. */
export function mayHaveRun({ state }: Run): RunStatus['mayHaveRun'] {
  const skipped = Object.values(state.removedEffects ?? {}).filter(({ nodes }) => nodes.status[0] === 'skipped');
  const found = [
    ...Object.entries(state.unknownEffects ?? {}),
    ...skipped.map(({ node, revision, planShape }) => [whereOf(revision, node), planShape.summaries[0] ?? ''] as const),
  ].slice(-MAX_NAMED);
  const named = found.map(([where, what]) => ({ summary: cutCharacters(oneLine(what), SUMMARY), where }));
  return named.length === 0 ? undefined : named;
}

export function whereOf(revision: number, node: string): string {
  return `revision ${revision}, ${node}`;
}

/** Records that an effect, which went on after an edit removed its node, has happened. */
export function completeStarted({ state }: Run, where: string): void {
  delete state.unknownEffects?.[where];
  for (const [key, started] of Object.entries(state.startedEffects))
    if (started.where === where) state.startedEffects[key] = { ...started, hasCompleted: true };
}

/** Yields a plan's effects that have begun. @param removed set if the plan is the single node of a removed effect */
function* startedIn(run: Run, of: Execution, removed?: { node: string; revision: number }): Generator<LocatedEffect> {
  for (const [at, key] of Object.entries(of.planShape.effectKeys ?? {})) {
    const node = Number(at);
    const status = of.progress.status[node];
    const hasCompleted = status === 'succeeded' || status === 'reused';
    const isRunning = status === 'running';
    if (!hasCompleted && !isRunning && !isUncertain(of, node)) continue;
    const { node: id, revision } = removed ?? { node: nodeId(node), revision: run.state.approval.revision };
    const isOnce = effectOf(of.planShape, node) === 'at-most-once';
    yield {
      ...{ key: effectKeyOf(run, key), what: of.planShape.summaries[node] ?? '', where: whereOf(revision, id) },
      ...{ hasCompleted, of, node, isUnknown: isOnce && !hasCompleted && (!isRunning || removed !== undefined) },
    };
  }
}

/** Records the at-most-once effects of the open plan that have begun and are not in the next plan. */
export function rememberRemoved({ state, execution }: Run, isThere: (node: number) => boolean): void {
  const { planShape, status = [], scheduledAt = {}, retries = {} } = execution ?? {};
  if (execution === undefined || planShape === undefined) return;
  for (const [node, now] of status.entries()) {
    const isBegun = now === 'uncertain' || (now !== 'pending' && scheduledAt[node] !== undefined);
    if (isThere(node) || effectOf(planShape, node) !== 'at-most-once' || !(isBegun || retries[node] !== undefined))
      continue;
    const nodes = nodesOf(execution, node);
    // A person has to settle only an effect that may have happened.
    if (now !== 'uncertain') delete nodes.unsettled[0];
    const removed = {
      node: nodeId(node),
      revision: state.approval.revision,
      planShape: shapeOfNode(planShape, node),
      nodes,
    };
    (state.removedEffects ??= {})[claimOf(planShape, node)] = removed;
  }
}

/** The key of an effect in `removedEffects`: its claim in the store or, without a claim, its node. */
export function claimOf(planShape: PlanShape, node: number): string {
  return planShape.claims?.[node] ?? itemId(planShape, nodeId(node));
}

export function itemId({ digest }: PlanShape, node: string): string {
  return `${digest.slice(0, 8)}.${node}`;
}

/** Makes an execution that shares the removed effect's records, so that changes to the node are kept. */
export function openRemoved({ planShape, nodes }: RemovedEffect): Execution {
  return openExecution(planShape, 1, nodes);
}

export function* unsettledRemoved({ state }: Run): Generator<RemovedEffect> {
  for (const removed of Object.values(state.removedEffects ?? {})) if (!isEmpty(removed.nodes.unsettled)) yield removed;
}

/** Returns a removed effect, with its state and running task, to a new plan that contains its node. */
export function reclaimRemoved(run: Run, planShape: PlanShape, node: number): Execution | undefined {
  const { state, tasks } = run;
  const claim = planShape.claims?.[node] ?? '';
  const removed = state.removedEffects?.[claim];
  if (removed === undefined) return undefined;
  delete state.removedEffects?.[claim];
  for (const [id, task] of numbered(tasks)) {
    if (task.kind !== 'unused' || task.claim !== claim) continue;
    const { stopping, isDrained } = task;
    replaceTask(run, id, { kind: 'node', node, ...given({ stopping, isDrained }) });
  }
  return openRemoved(removed);
}

function nodesOf(all: Nodes, node: number): Nodes {
  const single = openNodes(1);
  single.status[0] = all.status[node]!;
  for (const [key, record] of Object.entries(single) as [Exclude<keyof Nodes, 'status'>, Record<number, unknown>][])
    if (node in all[key]) record[0] = all[key][node];
  return single;
}

function shapeOfNode(planShape: PlanShape, node: number): PlanShape {
  const { executors, executorOf, summaries, digest, revisionRef } = planShape;
  const { effectKeys, values, valuesLeft, untrusted } = planShape;
  const columnOf = <T>(column: Readonly<Record<number, T>> = {}) => (node in column ? { 0: column[node]! } : undefined);
  return {
    ...{ goal: '', text: '', digest, revisionRef, root: 0, inputs: [[]], executorOf: [0] },
    executors: [executors[executorOf[node]!]!],
    summaries: [summaries[node] ?? ''],
    ...given({ effectKeys: columnOf(effectKeys), values: columnOf(values), valuesLeft: columnOf(valuesLeft) }),
    ...given({ untrusted: columnOf(untrusted) }),
  };
}
