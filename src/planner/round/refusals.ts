import { createHash } from 'node:crypto';
import { type Step, PolicyError, type AnyDecision } from '../../capabilities/policy/index.ts';
import { canonicalJson, type JsonValue } from '../../plan/index.ts';
import { stepKey, isDeeperThan } from '../../protocol/index.ts';
import { lastRound, type LoopNotes, type NotedRound } from './notes.ts';
import { describeValue, listNames, quote } from '../../plan/text/index.ts';

/**
 * How often in a row a rejected step may be decided until the loop ends. The model gets a warning before.
 * @bound times in a row that one rejected step is decided
 * @beyond the run fails (`PlanFailed`, no-result); at the second time the model is warned, and people are not asked
 */
export const SAME_REFUSALS = 3;
/**
 * The consecutive replies without a call after which the loop ends (Osprey: unclear replies).
 * @bound unclear replies in a row @beyond the run fails (`PlanFailed`, no-result)
 */
export const UNCLEAR_REPLIES = 2;

export interface RefusedStep {
  readonly step: string;
  readonly times: number;
}

export function refusedBefore(step: Step, notes: LoopNotes): RefusedStep | undefined {
  const meaning = meaningOf(step);
  if (meaning === undefined) return undefined;
  const own = createHash('sha256').update(canonicalJson(meaning)).digest('base64url');
  const { refused } = lastRound(notes)[0] ?? {};
  return { step: own, times: refused?.step === own ? refused.times + 1 : 1 };
}

/** The parts of a step that determine whether two steps are equal. The purpose is not among them. */
function meaningOf(step: Step): JsonValue | undefined {
  switch (step.is) {
    case 'capability':
    case 'agent':
      return { is: step.is, name: step.name, arguments: step.arguments };
    case 'reads':
      return step.calls.map(({ name, arguments: args }) => ({ name, arguments: args }));
    case 'plan':
      return step.plan;
    case 'finish':
    case 'none':
      return undefined;
  }
}

export function repeated({ times }: RefusedStep): string {
  const again = 'This is exactly the step that was refused in the round before';
  return times < SAME_REFUSALS
    ? `${again}, and it is not tried again. Decide another step, ask a person, or finish and say what is in the way.`
    : `${again}, ${times} times in a row.`;
}

/** Whether this step ran in each of the last two rounds with the same result. */
export function isStuck({ step }: RefusedStep, { recent, results }: LoopNotes): boolean {
  const resultOf = ({ round, key = stepKey(round), observed }: NotedRound) =>
    results[key] ?? observed?.replaceAll(/\bstep_\d+(?:_\d+)?\b/g, '');
  const rounds = [...new Set(recent.map(({ round }) => round))].slice(-2);
  const [first, second] = rounds.map((round) => {
    const calls = recent.filter((one) => one.round === round);
    return calls.every((one) => one.step === step) ? JSON.stringify(calls.map(resultOf)) : undefined;
  });
  return first !== undefined && first === second;
}

/** The message to a model that repeats a read, since repetitions would use up all rounds. */
export const SAME_READ =
  'This read was carried out in the two rounds before, with the same result, and is not carried out again. Use that result, decide another step, ask a person, or finish and say what is in the way.';

const STATE_BYTES = 1_048_576;
/** Maximum levels of a decision or a part of the state. It is twice the limit for a call's arguments. */
const LEVELS = 128;

export function writtenBy<State>(
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

export function checkedDecision<Decision extends AnyDecision>(
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

export function checkState(policy: string, state: object): void {
  const text = JSON.stringify(state);
  if (text.length > STATE_BYTES) {
    throw new PolicyError(
      'too-large',
      `the state of policy ${policy} has ${text.length} characters of JSON, and may have ${STATE_BYTES}; keep results in the store and name them`,
    );
  }
}

/** Rejects a value that is too deep, since freezing, comparing and storing values are recursive. */
function flat(stage: string, what: 'decided' | 'wrote', value: unknown): void {
  if (!isDeeperThan(LEVELS, value)) return;
  const message = `stage ${stage} ${what} more than ${LEVELS} levels of lists and objects; keep such a value in the store, as a text`;
  throw new PolicyError('too-large', message, { stage });
}

/** Freezes a value with everything in it, so that a stage which changes its input throws. */
export function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const one of Object.values(value)) frozen(one);
  }
  return value;
}
