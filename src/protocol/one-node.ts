/**
 * A decided step of one node, as it travels: a loop keeps one in its history each round, so that what follows from the
 * round is left out. Pure: the worker makes it short, and the run makes it long again.
 */

import type { NodeExecutor, RunSlice } from './slice.ts';
import { stepKey } from './ids.ts';

/**
 * The bounds of an executor whose capability states none (Osprey: capability retry policy). They are part of what
 * histories say: a later version that has others sends those, and leaves these.
 */
export const USUAL_BOUNDS = {
  startToCloseMs: 300_000,
  scheduleToCloseMs: 3_600_000,
  heartbeatMs: 10_000,
  retry: { attempts: 3, initialMs: 500, factor: 1.5 },
} as const satisfies Partial<NodeExecutor>;

type Bound = keyof typeof USUAL_BOUNDS;
const BOUNDS = Object.keys(USUAL_BOUNDS) as readonly Bound[];

/** The executor without the bounds that are the usual ones. */
export type ShortExecutor = Omit<NodeExecutor, Bound> & Partial<Pick<NodeExecutor, Bound>>;

export interface OneNode extends Pick<RunSlice, 'digest' | 'revisionRef' | 'text'> {
  readonly executor: ShortExecutor;
  /** Absent where it is the goal of the loop's task, or the summary of the decision. */
  readonly goal?: string;
  readonly title?: string;
  readonly effectKey?: string;
  readonly warning?: string;
}

/** The facts that both sides know beside it. */
export interface StepPlace {
  readonly round: number;
  /** Absent where the task of the loop has none. */
  readonly goal?: string | undefined;
  /** Of the decision. */
  readonly summary: string;
}

/** @returns the short form; undefined for a slice that has another shape, which travels whole */
export function oneNodeOf(slice: RunSlice, place: StepPlace): OneNode | undefined {
  const { goal, digest, revisionRef, text, executors, summaries, effectKeys, warnings } = slice;
  const [executor, ...others] = executors;
  const [title = ''] = summaries;
  if (executor === undefined || others.length > 0 || summaries.length !== 1) return undefined;
  const [effectKey, warning] = [effectKeys?.[0], warnings?.[0]];
  const one: OneNode = {
    ...{ digest, revisionRef, text, executor: shortOf(executor) },
    ...(goal !== place.goal && { goal }),
    ...(title !== place.summary && { title }),
    ...(effectKey !== undefined && { effectKey }),
    ...(warning !== undefined && { warning }),
  };
  // Whatever a slice has that the short form cannot say, later fields too.
  return JSON.stringify(sorted(sliceOfOne(one, place))) === JSON.stringify(sorted(slice)) ? one : undefined;
}

/** The slice that was made short. */
export function sliceOfOne(
  { goal, title, executor, effectKey, warning, ...rest }: OneNode,
  { round, goal: taskGoal = '', summary }: StepPlace,
): RunSlice {
  return {
    ...rest,
    goal: goal ?? taskGoal,
    root: 0,
    inputs: [[]],
    contextKeys: [stepKey(round)],
    executors: [{ ...USUAL_BOUNDS, ...executor }],
    executorOf: [0],
    summaries: [title ?? summary],
    parts: true,
    ...(effectKey !== undefined && { effectKeys: { 0: effectKey } }),
    ...(warning !== undefined && { warnings: { 0: warning } }),
  };
}

function shortOf(executor: NodeExecutor): ShortExecutor {
  const usual = BOUNDS.filter((bound) => JSON.stringify(executor[bound]) === JSON.stringify(USUAL_BOUNDS[bound]));
  const members = Object.entries(executor).filter(([name]) => !(usual as readonly string[]).includes(name));
  return Object.fromEntries(members) as unknown as ShortExecutor;
}

/** With the members of every object in one order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, one]) => one !== undefined);
  return Object.fromEntries(members.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, one]) => [name, sorted(one)]));
}
