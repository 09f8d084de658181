import type { LoopPolicy, RoundSurroundings } from '../../capabilities/index.ts';
import type { ModelRequest } from '../../models/index.ts';
import { isRecord, RunFailureError, type RoundRequest } from '../../protocol/index.ts';
import { readResult } from '../../store/index.ts';
import { extractTask, selectCapabilities } from '../select-capabilities.ts';
import { isModelFailure, troubleOf, type Planner } from '../planner.ts';
import { openNotes } from '../notes.ts';
import { resultJson } from './observed.ts';
import { offering, type Decider } from './tools.ts';
import { decisionRequest, roundMessages } from './decision-request.ts';
import type { RoundContext, RoundModel } from './round-context.ts';
import type { LoopNotes, Thoughts } from './notes.ts';
import { readDecision } from './read-decision.ts';

interface Seen {
  calls: number;
  /** True if the model's last decision was text without a call. */
  isUnclear: boolean;
  thoughts: Thoughts | undefined;
}

export interface Around {
  readonly around: RoundSurroundings;
  readonly signal: AbortSignal;
  readonly seen: Seen;
  /**
   * Ends the round, so that an abandoned stage cannot ask a model any more.
   * @throws errors that a retry may fix, and errors that suspend the round, even if a stage caught them
   */
  settle(): void;
}

export function openAround(request: RoundRequest, notes: LoopNotes, context: RoundContext): Around {
  const { round, trouble, options: { context: given } = {} } = request;
  const { decider, known, model, store, isLastAttempt, cancellation } = context;
  const over = new AbortController();
  const signal = AbortSignal.any([cancellation, over.signal]);
  const external = typesOf(given);
  const together = takesReads(decider.policy);
  let passing: unknown;
  const seen: Seen = { calls: 0, isUnclear: false, thoughts: undefined };

  const ask = async (purpose: string, wanted: ModelRequest) => {
    const { paid } = needed(model);
    seen.calls += 1;
    const { name = '', limits: { attemptMs } = {} } = decider.agent ?? {};
    const late = new AbortController();
    const timer = attemptMs === undefined ? undefined : setTimeout(() => late.abort(), attemptMs);
    try {
      return await paid.ask(wanted, purpose, undefined, AbortSignal.any([signal, late.signal]));
    } catch (error) {
      // As in Pathfinder, the model of a sub-agent that timed out is not asked again.
      if (late.signal.aborted && !signal.aborted) {
        passing = new RunFailureError(
          'CRITICAL',
          `agent ${name}: its model has not answered within ${attemptMs} ms (limits.attemptMs)`,
        );
        throw passing;
      }
      const mayPass = isModelFailure(error) && error.severity === 'RETRIABLE' && !isLastAttempt;
      if (mayPass || (isModelFailure(error) && error.kind === 'cancelled')) passing = error;
      throw error;
    } finally {
      clearTimeout(timer);
    }
  };

  const around: RoundSurroundings = {
    round,
    task: decider.task,
    ...(trouble !== undefined && { trouble: trouble.message }),
    messages: roundMessages(notes, model?.name),
    capabilities: decider.capabilities.map(({ name }) => name),
    requiresOf: (name) => known.find((one) => one.name === name)?.requires ?? [],
    providersOf: (type) =>
      decider.capabilities.filter(({ provides }) => provides.includes(type)).map(({ name }) => name),
    keysOf: (type) => [
      ...Object.keys(external).filter((key) => external[key] === type),
      ...Object.keys(notes.results).filter((key) => notes.types[key]?.includes(type) === true),
    ],
    ask: (purpose, wanted) => ask(`round_${round}/${purpose}`, wanted),
    select: () => selected(decider, needed(model), (wanted, purpose) => ask(`round_${round}/${purpose}`, wanted)),
    decide: async (among) => {
      const { prompts, name } = needed(model);
      const offered = among === undefined ? decider : offering(decider, among);
      try {
        const reply = await ask(
          `round_${round}`,
          decisionRequest({ ...offered, notes, prompts, together, model: name }),
        );
        const read = readDecision(reply, offered.tools, { results: notes.results, together });
        seen.isUnclear = read.isUnclear;
        seen.thoughts = reply.reasoning && { model: name, items: reply.reasoning };
        return read.decision;
      } catch (error) {
        if (!isModelFailure(error) || troubleOf(error).severity !== 'REPLANNING') throw error;
        return { action: 'none', is: 'none', problem: troubleOf(error).message };
      }
    },
    read: async (key) => {
      const ref = notes.results[key];
      return ref === undefined ? undefined : resultJson(await readResult(store, ref));
    },
  };
  return {
    around,
    signal,
    seen,
    settle: () => {
      over.abort();
      model?.paid.settle();
      if (passing !== undefined) throw passing;
    },
  };
}

/** Whether a loop may decide several reads at once. Every corrector must declare that it accepts `reads`. */
function takesReads({ actions, stages }: LoopPolicy): boolean {
  return actions.has('reads') && stages.every((stage) => stage.kind !== 'correct' || stage.reads === true);
}

function needed(model: RoundModel | undefined): RoundModel {
  if (model === undefined) throw new RunFailureError('InvalidInput', NO_MODEL);
  return model;
}

const NO_MODEL =
  'this worker has no model to decide with; set "model" in its configuration (docs/agents.md), and start it again';

/** Finds the task and selects capabilities for a loop, as for a plan. Without a selection, returns all. */
async function selected(
  { task, capabilities, agents }: Decider,
  { prompts, format }: RoundModel,
  ask: Planner['ask'],
): Promise<readonly string[]> {
  const planner = { ask, capabilities, agents, prompts, format };
  const extracted = await extractTask(planner, openNotes(task.goal));
  const { outcome, notes } = await selectCapabilities(planner, extracted.notes);
  return outcome.is === 'selected' && outcome.count > 0 ? notes.selected : capabilities.map(({ name }) => name);
}

/** A context value may have a type: `{ key: { type, value } }`. */
function typesOf(context: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(context).flatMap(([key, value]) =>
      isRecord(value) && 'value' in value && typeof value['type'] === 'string' ? [[key, value['type']]] : [],
    ),
  );
}
