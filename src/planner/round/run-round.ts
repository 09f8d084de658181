/**
 * Runs the stages of a policy once. Each gets the frozen state and can write only its declared fields. Returns one
 * decision, with the stages that made or changed it.
 */

import {
  PolicyError,
  STAGE_KINDS,
  type AnyDecision,
  type Chosen,
  type Happened,
  type Origin,
  type Policy,
  type Round,
  type Stage,
  type Visit,
} from '../../capabilities/policy/index.ts';
import { messageOf } from '../../plan/text/index.ts';
import type { VisibleOrigin } from '../../protocol/index.ts';
import { checkState, frozen, checkedDecision, writtenBy } from './refusals.ts';

/** Time limit of a stage in ms. The decider has none. */
export const STAGE_MS = 120_000;

export interface RoundBegin<State, Decision extends AnyDecision, Around> {
  readonly round: number;
  /** The state after the last round; absent in the first round. */
  readonly state?: State;
  readonly happened?: Happened<Decision>;
  readonly around: Around;
  /** The time limit in milliseconds for each stage except the decider. Default 120,000. */
  readonly stageMs?: number;
  readonly signal?: AbortSignal;
  /** Whether an error has another cause than a stage, such as a model or a store. It is then thrown unchanged. */
  readonly passes?: (error: unknown) => boolean;
  /** The number of model calls so far. If a `decide` stage made none, its decision does not count as the model's. */
  readonly callCount?: () => number;
}

/**
 * Runs one round: tick, observers, the stages up to a decision, and then the correctors for its origin.
 * @throws PolicyError with the stage that threw, took too long, wrote an undeclared field, or decided nothing
 * @example const { decision, origin, visits } = await runRound(policy, { round: 1, around });
 */
export async function runRound<State extends object, Decision extends AnyDecision, Around>(
  policy: Policy<State, Decision, Around>,
  {
    round,
    state: before,
    happened,
    around,
    stageMs = STAGE_MS,
    signal: given,
    passes = () => false,
    callCount: callsSoFar,
  }: RoundBegin<State, Decision, Around>,
): Promise<Round<State, Decision>> {
  const visits: Visit<Decision>[] = [];
  const bounds = { stageMs, passes, given };
  let state = frozen(before ?? guarded('initial', () => policy.initial(around)));
  const write = (stage: string, writes: readonly string[], patch: Partial<State> | undefined): readonly string[] => {
    const wrote = writtenBy(stage, writes, patch, state);
    if (wrote.length > 0) state = frozen({ ...state, ...patch });
    return wrote;
  };

  const { tick } = policy;
  if (tick !== undefined) {
    const wrote = write(
      'tick',
      tick.writes,
      guarded('tick', () => tick.run(state, round)),
    );
    visits.push({ stage: 'tick', kind: 'tick', did: 'wrote', wrote });
  }
  if (happened !== undefined) {
    for (const { name, after, writes, when, run } of policy.observers) {
      if (!after.includes(happened.decision.action)) continue;
      const takes = when === undefined || guarded(name, () => when(happened, state));
      const wrote = takes
        ? write(
            name,
            writes,
            guarded(name, () => run(state, happened)),
          )
        : [];
      visits.push({ stage: name, kind: 'observe', ...(takes ? { did: 'wrote', wrote } : { did: 'passed' }) });
    }
  }

  let made: { readonly decision: Decision; readonly origin: Origin; readonly decider: string } | undefined;
  let replyOrigin: VisibleOrigin = 'model';
  for (const stage of policy.stages) {
    if (stage.kind === 'correct') continue;
    const callsBefore = callsSoFar?.();
    const { decision, state: patch } = await within(stage, bounds, (signal) => runOne(stage, state, around, signal));
    const wrote = write(stage.name, stage.writes ?? [], patch);
    const { name, kind } = stage;
    if (decision === undefined && kind === 'decide') throw undecided(name);
    if (decision === undefined) {
      visits.push({ stage: name, kind, ...(wrote.length > 0 ? { did: 'wrote', wrote } : { did: 'passed' }) });
      continue;
    }
    const { origin } = STAGE_KINDS[kind];
    if (origin === undefined) throw decides(name, kind);
    made = { decision: checkedDecision(policy, name, decision), origin, decider: name };
    replyOrigin = origin === 'model' && callsBefore !== undefined && callsSoFar?.() === callsBefore ? 'decide' : origin;
    visits.push({ stage: name, kind, did: 'decided', after: decision, ...(wrote.length > 0 && { wrote }) });
    break;
  }
  if (made === undefined) throw new PolicyError('no-decision', `policy ${policy.name}: no stage decided`);

  let { decision } = made;
  for (const stage of policy.stages) {
    if (stage.kind !== 'correct') continue;
    const { name, kind } = stage;
    if (!stage.origins.includes(made.origin)) {
      visits.push({ stage: name, kind, did: 'spared' });
      continue;
    }
    const run = async (signal: AbortSignal) => (await stage.run(state, decision, around, signal)) ?? {};
    const corrected: Chosen<State, Decision> = await within(stage, bounds, run);
    const wrote = write(name, stage.writes ?? [], corrected.state);
    const after = corrected.decision;
    const isNew = after !== undefined && JSON.stringify(after) !== JSON.stringify(decision);
    if (isNew) {
      visits.push({ stage: name, kind, did: 'rewrote', before: decision, after, ...(wrote.length > 0 && { wrote }) });
      decision = checkedDecision(policy, name, after);
    } else visits.push({ stage: name, kind, ...(wrote.length > 0 ? { did: 'wrote', wrote } : { did: 'passed' }) });
  }
  checkState(policy.name, state);
  return { state, ...made, origin: replyOrigin, decision, visits };
}

async function runOne<State, Decision extends AnyDecision, Around>(
  stage: Exclude<Stage<State, Decision, Around>, { kind: 'correct' }>,
  state: State,
  around: Around,
  signal: AbortSignal,
): Promise<Chosen<State, Decision>> {
  switch (stage.kind) {
    case 'gate': {
      if (!stage.when(state, around)) return {};
      const patch = stage.write?.(state, around);
      return { decision: stage.decide(state, around), ...(patch !== undefined && { state: patch }) };
    }
    case 'enrich': {
      const patch = await stage.run(state, around, signal);
      return patch === undefined ? {} : { state: patch };
    }
    case 'select':
    case 'decide':
      return (await stage.run(state, around, signal)) ?? {};
  }
}

function undecided(stage: string): PolicyError {
  const message = `stage ${stage} is of kind "decide" and returned no decision; return { decision }, since no stage is asked after it`;
  return new PolicyError('no-decision', message, { stage });
}

function decides(stage: string, kind: string): PolicyError {
  return new PolicyError('undeclared-write', `stage ${stage} is of kind "${kind}" and returned a decision`, { stage });
}

interface StageBounds {
  readonly stageMs: number;
  readonly passes: (error: unknown) => boolean;
  readonly given: AbortSignal | undefined;
}

/** Runs a stage, and abandons it after its time limit. A `decide` stage has only the limits of its model calls. */
async function within<T>(
  stage: { readonly name: string; readonly kind: string },
  { stageMs: ms, passes, given }: StageBounds,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const own = new AbortController();
  const signal = given === undefined ? own.signal : AbortSignal.any([given, own.signal]);
  const late = new Promise<never>((_, reject) => {
    if (stage.kind === 'decide') return;
    const message = `stage ${stage.name} has not answered within ${ms / 1000} s`;
    const error = new PolicyError('stage-late', message, { stage: stage.name });
    timer = setTimeout(() => {
      reject(error);
      own.abort(error);
    }, ms);
  });
  try {
    return await Promise.race([work(signal), late]);
  } catch (error) {
    throw passes(error) ? error : stageError(stage.name, error);
  } finally {
    clearTimeout(timer);
  }
}

function guarded<T>(stage: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw stageError(stage, error);
  }
}

function stageError(stage: string, error: unknown): PolicyError {
  if (error instanceof PolicyError) return error;
  return new PolicyError('stage-threw', `stage ${stage} threw: ${messageOf(error)}`, { stage, cause: error });
}
