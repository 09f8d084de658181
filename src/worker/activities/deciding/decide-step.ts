/** Decides the next step of a loop: takes in what happened, runs the policy once, dispatches, and keeps a record. */

import type { CapabilityRegistry } from '../../../builtin/index.ts';
import type { DecideReply, DecideRequest, ProjectPolicy, RoundRecord } from '../../../wire/contract/index.ts';
import type { JsonValue } from '../../../language/plan/index.ts';
import { isModelFailure, troubleOf, withRound, type ConversationSources, type LoopNotes } from '../../../loop/index.ts';
import type { LoopPolicy } from '../../../define/index.ts';
import { PolicyError, runRound, type AnyDecision, type Round, type Step } from '../../../engine/policy/index.ts';
import { digestOfRef, StoreError, type ResultStore } from '../../../wire/results/index.ts';
import { messageOf } from '../../../language/text/index.ts';
import { RunFailureError } from '../failures.ts';
import { isHeldBack } from '../begin-effect.ts';
import type { Gate } from '../gate.ts';
import type { ProjectModels } from '../models.ts';
import type { Revision } from '../revision.ts';
import { openAround, type Around } from './around.ts';
import { deciderOf, registryOf } from './decider.ts';
import { dispatch, nothingDone, type Dispatched } from './dispatch.ts';
import { takeIn, type Before } from './observed.ts';

export interface DecideSurroundings {
  readonly registry: CapabilityRegistry;
  readonly store: ResultStore;
  readonly models: ProjectModels | undefined;
  readonly policy?: LoopPolicy | undefined;
  readonly project: ProjectPolicy;
  readonly gate: Gate;
  readonly conversationOf?: ((id: string) => ConversationSources) | undefined;
  revisionFor(ref: string): Promise<Revision>;
}

export async function decideStep(request: DecideRequest, surroundings: DecideSurroundings): Promise<DecideReply> {
  const { registry, store, models, project, gate } = surroundings;
  const decider = await deciderOf(request.task, surroundings);
  const { policy } = decider;
  const before = await takeIn(request, policy.name, registry.all, store, surroundings.conversationOf);
  const opened = openAround({ request, notes: before.notes, decider, models, registry, store, gate });
  const { usage, settle } = opened;
  const decided = await decidedBy(policy, request, before, opened).finally(settle);
  if ('failure' in decided) {
    const { failure } = decided;
    const { round } = nothingDone(request.round, failure.message, '');
    const notes = await keep(withRound(before.notes, round!), request, undefined, `no step: ${failure.message}`, store);
    return { notes, usage: usage(), project, decision: { is: 'failed', trouble: failure } };
  }
  const dispatched = await dispatch(decided.step, {
    request,
    goal: decider.task.goal,
    notes: before.notes,
    tools: decider.tools,
    registry: registryOf(decider, registry),
    store,
    ignored: ignoredOf(decided.round.decision),
  });
  const notes = notesAfter(before.notes, policy.name, request.round, decided.round, dispatched);
  const ref = await keep(notes, request, { policy: policy.name, ...decided.round }, dispatched.line, store);
  const { origin, decider: by } = decided.round;
  const decision = { ...dispatched.decision, ...(origin !== 'model' && { by: `${origin} ${by}` }) };
  return { notes: ref, usage: usage(), project, decision };
}

type Decided =
  | { readonly round: Round<object, AnyDecision>; readonly step: Step }
  | { readonly failure: ReturnType<typeof troubleOf> };

async function decidedBy(
  policy: LoopPolicy,
  { round }: DecideRequest,
  { notes, happened }: Before,
  { around, signal }: Pick<Around, 'around' | 'signal'>,
): Promise<Decided> {
  try {
    // A policy that was changed finds what it has added in its initial state.
    const kept = notes.policy?.name === policy.name ? { ...policy.initial(around), ...notes.policy.state } : undefined;
    const run = await runRound(policy, {
      round,
      around,
      signal,
      passes: isFromBelow,
      ...(kept !== undefined && { state: kept }),
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

/** An error of a model, of the store or of the project: no stage is to blame. */
function isFromBelow(error: unknown): boolean {
  return isModelFailure(error) || isHeldBack(error) || error instanceof RunFailureError || error instanceof StoreError;
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
  { round: noted, decision: { is } }: Dispatched,
): LoopNotes {
  const notes = noted === undefined ? before : withRound(before, noted);
  const last = is === 'step' ? { decision: { round, decision } } : {};
  return { ...notes, policy: { name, state, ...last } };
}

/** Writes the record of the round, and the notes that name it. */
async function keep(
  notes: LoopNotes,
  { round, observation, trouble }: DecideRequest,
  decided: ({ readonly policy: string } & Round<object, AnyDecision>) | undefined,
  line: string,
  store: ResultStore,
): Promise<string> {
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
    ...(trouble !== undefined && { trouble: trouble.message }),
    ...(notes.record !== undefined && { before: notes.record }),
  };
  const own = await store.put(Buffer.from(JSON.stringify(record), 'utf8'));
  const ref = await store.put(Buffer.from(JSON.stringify({ ...notes, record: digestOfRef(own) }), 'utf8'));
  return digestOfRef(ref);
}
