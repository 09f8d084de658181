/**
 * Runs the stages of a policy once. Each sees the state frozen and writes only what it declares, and exactly one
 * decision comes out, with the stage that made it and the stages that changed it.
 */

import { isDeeperThan } from '../../wire/contract/index.ts';
import { messageOf, quote, listNames, describeValue } from '../../language/text/index.ts';
import type { Happened, Policy } from './policy.ts';
import { PolicyError } from './policy-error.ts';
import type { AnyDecision, Chosen, Correct, Origin, Stage } from './stage.ts';
import type { Round, Visit } from './visit.ts';

/** Milliseconds that a stage before or behind the decider may take. */
export const STAGE_MS = 120_000;
/** Bytes of a state as JSON. */
export const STATE_BYTES = 1_048_576;
/** The most levels in a decision, and in a part of the state: twice what the arguments of a call may have. */
const LEVELS = 128;

export interface RoundBegin<State, Decision extends AnyDecision, Around> {
  /** Counts from 1. */
  readonly round: number;
  /** The state after the round before; absent in the first. */
  readonly state?: State;
  readonly happened?: Happened<Decision>;
  readonly around: Around;
  /** Milliseconds for each stage but the decider. Default 120,000. */
  readonly stageMs?: number;
  /** Gives up the round, and the stage under way. */
  readonly signal?: AbortSignal;
  /** Errors that are no fault of the stage that threw them: of a model, of a store. They come out as they are. */
  readonly passes?: (error: unknown) => boolean;
}

/**
 * Runs one round: tick, observers, and the stages up to a decision, then the correctors of its origin.
 * @throws PolicyError that names the stage: it threw, took too long, wrote what it does not declare, or decided nothing
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
  for (const stage of policy.stages) {
    if (stage.kind === 'correct') continue;
    const { decision, state: patch } = await within(stage, bounds, (signal) => asked(stage, state, around, signal));
    const wrote = write(stage.name, stage.writes ?? [], patch);
    const { name, kind } = stage;
    if (decision === undefined) {
      visits.push({ stage: name, kind, ...(wrote.length > 0 ? { did: 'wrote', wrote } : { did: 'passed' }) });
      continue;
    }
    if (kind === 'enrich') throw decides(name);
    made = { decision: known(policy, name, decision), origin: kind === 'decide' ? 'model' : kind, decider: name };
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
    const corrected = await within(stage, bounds, (signal) => correctedBy(stage, state, decision, around, signal));
    const wrote = write(name, stage.writes ?? [], corrected.state);
    const after = corrected.decision;
    const isNew = after !== undefined && JSON.stringify(after) !== JSON.stringify(decision);
    if (isNew) {
      visits.push({ stage: name, kind, did: 'rewrote', before: decision, after, ...(wrote.length > 0 && { wrote }) });
      decision = known(policy, name, after);
    } else visits.push({ stage: name, kind, ...(wrote.length > 0 ? { did: 'wrote', wrote } : { did: 'passed' }) });
  }
  checkState(policy.name, state);
  return { state, ...made, decision, visits };
}

async function asked<State, Decision extends AnyDecision, Around>(
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

async function correctedBy<State, Decision extends AnyDecision, Around>(
  stage: Correct<State, Decision, Around>,
  state: State,
  decision: Decision,
  around: Around,
  signal: AbortSignal,
): Promise<Chosen<State, Decision>> {
  return (await stage.run(state, decision, around, signal)) ?? {};
}

interface StageBounds {
  readonly stageMs: number;
  readonly passes: (error: unknown) => boolean;
  readonly given: AbortSignal | undefined;
}

/**
 * A stage that throws is named in the error; a stage that does not answer in time is given up. The decider has the
 * bounds of its model.
 */
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

function writtenBy<State>(
  stage: string,
  writes: readonly string[],
  patch: Partial<State> | undefined,
  state: State,
): readonly string[] {
  if (patch === undefined) return [];
  const undeclared = Object.keys(patch).filter((key) => !writes.includes(key));
  if (undeclared.length > 0) {
    const may = writes.length === 0 ? 'nothing' : listNames(writes);
    const message = `stage ${stage} wrote ${listNames(undeclared)}, and declares ${may}; add it to its "writes"`;
    throw new PolicyError('undeclared-write', message, { stage });
  }
  flat(stage, 'wrote', patch);
  return Object.keys(patch).filter((key) => patch[key as keyof State] !== state[key as keyof State]);
}

function decides(stage: string): PolicyError {
  return new PolicyError('undeclared-write', `stage ${stage} is of kind "enrich" and returned a decision`, { stage });
}

function known<Decision extends AnyDecision>(
  { name, actions }: { readonly name: string; readonly actions: ReadonlyMap<string, unknown> },
  stage: string,
  decision: Decision,
): Decision {
  const { action } = (decision ?? {}) as Partial<Decision>;
  if (typeof action === 'string' && actions.has(action)) {
    flat(stage, 'decided', decision);
    return frozen(decision);
  }
  const got = typeof action === 'string' ? quote(action) : describeValue(decision);
  const message = `stage ${stage} decided ${got}; policy ${name} has the actions ${listNames([...actions.keys()])}`;
  throw new PolicyError('unknown-action', message, { stage });
}

function checkState(policy: string, state: object): void {
  const text = JSON.stringify(state);
  if (text.length > STATE_BYTES) {
    throw new PolicyError(
      'too-large',
      `the state of policy ${policy} has ${text.length} characters of JSON, and may have ${STATE_BYTES}; keep results in the store and name them`,
    );
  }
}

/** Freezing, comparing and storing a value walk it by recursion, so its depth is bounded. */
function flat(stage: string, what: 'decided' | 'wrote', value: unknown): void {
  if (!isDeeperThan(LEVELS, value)) return;
  const message = `stage ${stage} ${what} more than ${LEVELS} levels of lists and objects; keep such a value in the store, as a text`;
  throw new PolicyError('too-large', message, { stage });
}

/** Freezes it: a stage that changes its input throws, since nobody would see the change. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const one of Object.values(value)) frozen(one);
  }
  return value;
}
