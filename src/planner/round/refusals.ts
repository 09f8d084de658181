import { createHash } from 'node:crypto';
import type { Step } from '../../capabilities/policy/index.ts';
import { canonicalJson, type JsonValue } from '../../plan/index.ts';
import { stepKey } from '../../protocol/index.ts';
import { lastRound, type LoopNotes, type NotedRound } from './notes.ts';

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

/** The parts of a step that decide whether two steps are equal. The text of the purpose is not one of them. */
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

/** The message to a model that repeats a read. The repetitions would use up all remaining rounds. */
export const SAME_READ =
  'This read was carried out in the two rounds before, with the same result, and is not carried out again. Use that result, decide another step, ask a person, or finish and say what is in the way.';
