import type { LoopPolicy } from '../../capabilities/index.ts';
import { PolicyError, type AnyDecision, type Round, type Step } from '../../capabilities/policy/index.ts';
import {
  NO_USAGE,
  RunFailureError,
  type DecideReply,
  type RoundRequest,
  type PlanningTrouble,
  type RoundRecord,
} from '../../protocol/index.ts';
import type { JsonValue } from '../../plan/index.ts';
import { messageOf } from '../../plan/text/index.ts';
import { StoreError } from '../../store/index.ts';
import { isModelFailure, troubleOf } from '../planner.ts';
import type { RoundContext } from './round-context.ts';
import type { Decider } from './tools.ts';
import { dispatch, roundWithoutStep, type Dispatched } from './dispatch.ts';
import { lastRound, thinking, withRound, type LoopNotes } from './notes.ts';
import { takeIn, type Before } from './observed.ts';
import { isStuck, refusedBefore, repeated, SAME_READ, SAME_REFUSALS, UNCLEAR_REPLIES } from './refusals.ts';
import { runRound } from './run-round.ts';
import { openAround, type Around } from './surroundings.ts';

/** @throws RunFailureError `PolicyFailed` for an error of the policy; errors that a retry may fix are unchanged */
export async function decideRound(request: RoundRequest, context: RoundContext): Promise<DecideReply> {
  const { decider, store, project, known, model, conversation } = context;
  const { policy } = decider;
  const { round } = request;
  const before = await takeIn(request, policy.name, known, store, conversation);
  const opened = openAround(request, before.notes, context);
  const decided = await decidedBy(policy, round, before, opened, context).finally(opened.settle);
  const usage = model?.paid.usage ?? NO_USAGE;
  const failed = async (trouble: PlanningTrouble, ran?: Round<object, AnyDecision>) => {
    const { calls } = roundWithoutStep(round, trouble.message);
    const record = ran && { policy: policy.name, ...ran };
    const notes = await save(
      withRound(before.notes, ...calls),
      request,
      record,
      `no step: ${trouble.message}`,
      context,
    );
    return { notes, usage, project, decision: { is: 'failed' as const, trouble } };
  };
  if ('failure' in decided) return failed(decided.failure);
  const { round: ran, step } = decided;
  const unclear = step.is === 'none' && opened.seen.isUnclear ? unclearBefore(before.notes) + 1 : 0;
  if (step.is === 'none' && unclear >= UNCLEAR_REPLIES) {
    const message = `${unclear} replies in a row call no tool. ${step.problem}`;
    return failed({ severity: 'REPLANNING', message }, ran);
  }
  // Only a model's decision may repeat a rejected step unknowingly. Code that repeats one has seen the rejection.
  const refused = ran.origin === 'model' ? refusedBefore(step, before.notes) : undefined;
  if (refused !== undefined && refused.times >= SAME_REFUSALS) {
    return failed({ severity: 'REPLANNING', message: repeated(refused) }, ran);
  }
  const ignored = ignoredOf(ran.decision);
  const isAgain = refused !== undefined && readsOnly(step, decider) && isStuck(refused, before.notes);
  const dispatched =
    refused !== undefined && refused.times > 1
      ? roundWithoutStep(round, repeated(refused))
      : isAgain
        ? roundWithoutStep(round, SAME_READ)
        : await dispatch(step, { ...context, round, results: before.notes.results, ignored });
  // Adds the model's reasoning if a model decided. It stays even if a corrector changed the decision.
  const thought = ran.origin === 'model' ? opened.seen.thoughts : undefined;
  const marked = thinking(dispatched.calls, thought).map((call) => ({
    ...call,
    ...(refused !== undefined && { refused, step: refused.step }),
    ...(unclear > 0 && { unclear }),
  }));
  const notes = notesAfter(before.notes, policy.name, round, ran, { ...dispatched, calls: marked });
  const ref = await save(notes, request, { policy: policy.name, ...ran }, dispatched.line, context);
  const { origin, decider: by } = ran;
  const decision = { ...dispatched.decision, ...(origin !== 'model' && { by: `${origin} ${by}` }) };
  return { notes: ref, usage, project, decision };
}

function readsOnly(step: Step, { capabilities }: Decider): boolean {
  const found = step.is === 'capability' && capabilities.find(({ name }) => name === step.name);
  return step.is === 'reads' || (found !== false && found?.effect === 'read' && found.kind !== 'wait');
}

function unclearBefore(notes: LoopNotes): number {
  return lastRound(notes)[0]?.unclear ?? 0;
}

type Decided =
  | { readonly round: Round<object, AnyDecision>; readonly step: Step }
  | { readonly failure: ReturnType<typeof troubleOf> };

async function decidedBy(
  policy: LoopPolicy,
  round: number,
  { notes, happened }: Before,
  { around, signal, seen }: Around,
  { passes }: RoundContext,
): Promise<Decided> {
  try {
    // If the policy has new fields, they get their initial values.
    const last = notes.policy?.name === policy.name ? { ...policy.initial(around), ...notes.policy.state } : undefined;
    const run = await runRound(policy, {
      round,
      around,
      signal,
      callCount: () => seen.calls,
      passes: (error) => isFromBelow(error) || passes(error),
      ...(last !== undefined && { state: last }),
      ...(happened !== undefined && { happened }),
    });
    const step = dispatchedBy(policy, run);
    return { round: run, step };
  } catch (error) {
    if (error instanceof PolicyError) {
      throw new RunFailureError('PolicyFailed', `policy ${policy.name}, round ${round}: ${error.message}`, {
        cause: error,
      });
    }
    if (!isModelFailure(error) || error.severity === 'RETRIABLE' || error.kind === 'cancelled') throw error;
    return { failure: troubleOf(error) };
  }
}

/** Whether an error comes from a model, the store or the project, so that no stage caused it. */
function isFromBelow(error: unknown): boolean {
  return isModelFailure(error) || error instanceof RunFailureError || error instanceof StoreError;
}

function dispatchedBy(policy: LoopPolicy, { decision, state }: Round<object, AnyDecision>): Step {
  const action = policy.actions.get(decision.action);
  if (action === undefined) throw new PolicyError('unknown-action', `there is no action ${decision.action}`);
  try {
    return action.dispatch(decision, state);
  } catch (error) {
    const message = `the dispatch of ${decision.action} threw: ${messageOf(error)}`;
    throw new PolicyError('stage-threw', message, { stage: decision.action, cause: error });
  }
}

function ignoredOf(decision: AnyDecision & { readonly ignored?: unknown }): number {
  return typeof decision.ignored === 'number' ? decision.ignored : 0;
}

function notesAfter(
  before: LoopNotes,
  name: string,
  round: number,
  { state, decision }: Round<object, AnyDecision>,
  { calls, decision: { is } }: Dispatched,
): LoopNotes {
  const notes = calls.length === 0 ? before : withRound(before, ...calls);
  const last = is === 'step' ? { decision: { round, decision } } : {};
  return { ...notes, policy: { name, state, ...last } };
}

async function save(
  notes: LoopNotes,
  { round, observation, trouble }: RoundRequest,
  decided: ({ readonly policy: string } & Round<object, AnyDecision>) | undefined,
  line: string,
  { store, model }: Pick<RoundContext, 'store' | 'model'>,
): Promise<string> {
  const usage = model?.paid.usage;
  const record: RoundRecord = {
    round,
    line,
    ...(decided !== undefined && {
      policy: decided.policy,
      origin: decided.origin,
      decider: decided.decider,
      decision: decided.decision as unknown as JsonValue,
      visits: decided.visits as unknown as NonNullable<RoundRecord['visits']>,
    }),
    ...(observation !== undefined && { happened: observation }),
    ...(usage !== undefined && usage.calls > 0 && { usage }),
    ...(trouble !== undefined && { trouble: trouble.message }),
    ...(notes.record !== undefined && { before: notes.record }),
  };
  const own = await store.put(Buffer.from(JSON.stringify(record), 'utf8'));
  return store.put(Buffer.from(JSON.stringify({ ...notes, record: own }), 'utf8'));
}
