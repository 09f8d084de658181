/**
 * The surroundings of a policy's stages, plugged into the project: its model, its capabilities, the results of the
 * loop.
 */

import { Context } from '@temporalio/activity';
import { isRecord, type DecideRequest, type Usage } from '../../../wire/contract/index.ts';
import {
  carryOutStage,
  decisionRequest,
  isModelFailure,
  openNotes,
  readDecision,
  roundMessages,
  troubleOf,
  type LoopNotes,
  type PlannerDesk,
} from '../../../loop/index.ts';
import type { ModelRequest } from '../../../model/index.ts';
import type { RoundSurroundings, ToolDecision } from '../../../define/index.ts';
import type { CapabilityRegistry } from '../../../builtin/index.ts';
import { readResult, type ResultStore } from '../../../wire/results/index.ts';
import { NO_USAGE } from '../../../engine/run/index.ts';
import { RunFailureError } from '../failures.ts';
import type { Gate } from '../gate.ts';
import { ATTEMPTS, isLastChance } from '../attempts.ts';
import { openPurse, type ProjectModels } from '../models.ts';
import { jsonOf } from '../task-inputs.ts';
import { offering, type Decider } from './decider.ts';

export interface Around {
  readonly around: RoundSurroundings;
  /** Ends with the round. */
  readonly signal: AbortSignal;
  /** The usage of all calls so far. */
  usage(): Usage;
  /**
   * The round is over: a stage that was given up asks no model any more.
   * @throws what another attempt may cure, or what holds the round back, whatever a stage has made of it
   */
  settle(): void;
}

interface Sources {
  readonly request: DecideRequest;
  readonly notes: LoopNotes;
  readonly decider: Decider;
  readonly models: ProjectModels | undefined;
  readonly registry: CapabilityRegistry;
  readonly store: ResultStore;
  readonly gate: Gate;
}

export function openAround({ request, notes, decider, models, registry, store, gate }: Sources): Around {
  const { info, cancellationSignal } = Context.current();
  const { round, trouble, options, work } = request;
  const over = new AbortController();
  const signal = AbortSignal.any([cancellationSignal, over.signal]);
  const place = `${info.workflowExecution?.workflowId ?? ''}/${request.call}`;
  const purse = models && openPurse(models.modelOf(decider.agent), store, place, { gate, work });
  const external = typesOf(options.context);
  let passing: unknown;

  const ask = async (purpose: string, wanted: ModelRequest) => {
    if (purse === undefined) throw new RunFailureError('InvalidInput', NO_MODEL);
    const { name = '', limits: { attemptMs } = {} } = decider.agent ?? {};
    const late = new AbortController();
    const timer = attemptMs === undefined ? undefined : setTimeout(() => late.abort(), attemptMs);
    try {
      return await purse.ask(wanted, purpose, undefined, AbortSignal.any([signal, late.signal]));
    } catch (error) {
      // Pathfinder: a sub-agent that timed out is not asked again.
      if (late.signal.aborted && !signal.aborted) {
        passing = new RunFailureError(
          'CRITICAL',
          `agent ${name}: its model has not answered within ${attemptMs} ms (limits.attemptMs)`,
        );
        throw passing;
      }
      const mayPass = isModelFailure(error) && error.severity === 'RETRIABLE' && !isLastChance(ATTEMPTS.decide);
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
    messages: roundMessages(notes),
    capabilities: decider.capabilities.map(({ name }) => name),
    requiresOf: (name) => registry.all.find((one) => one.name === name)?.requires ?? [],
    providersOf: (type) =>
      decider.capabilities.filter(({ provides }) => provides.includes(type)).map(({ name }) => name),
    keysOf: (type) => [
      ...Object.keys(external).filter((key) => external[key] === type),
      ...Object.keys(notes.results).filter((key) => notes.types[key]?.includes(type) === true),
    ],
    ask: (purpose, wanted) => ask(`round_${round}/${purpose}`, wanted),
    select: () => selected(decider, models, (wanted, purpose) => ask(`round_${round}/${purpose}`, wanted)),
    decide: async (among) => {
      if (models === undefined) throw new RunFailureError('InvalidInput', NO_MODEL);
      const { prompts } = models.planner;
      const offered = among === undefined ? decider : offering(decider, among);
      const told = trouble === undefined ? {} : { trouble: trouble.message };
      try {
        const reply = await ask(`round_${round}`, decisionRequest({ ...offered, notes, prompts, ...told }));
        return toolDecision(readDecision(reply, offered.tools), notes);
      } catch (error) {
        // The model did answer, and the answer is no step: another request may do better.
        if (!isModelFailure(error) || troubleOf(error).severity !== 'REPLANNING') throw error;
        return { action: 'none', is: 'none', problem: troubleOf(error).message };
      }
    },
    read: async (key) => {
      const ref = notes.results[key];
      return ref === undefined ? undefined : jsonOf(await readResult(store, ref));
    },
  };
  return {
    around,
    signal,
    usage: () => purse?.usage ?? NO_USAGE,
    settle: () => {
      over.abort();
      purse?.settle();
      if (passing !== undefined) throw passing;
    },
  };
}

const NO_MODEL =
  'this worker has no model to decide with; set "model" in its configuration (docs/agents.md), and start it anew';

/** The two stages before a plan that a loop has too. If they fail every capability is offered. */
async function selected(
  { task, capabilities, agents }: Decider,
  models: ProjectModels | undefined,
  ask: PlannerDesk['ask'],
): Promise<readonly string[]> {
  if (models === undefined) throw new RunFailureError('InvalidInput', NO_MODEL);
  const { prompts, format } = models.planner;
  const desk = { ask, capabilities, agents, prompts, format };
  const compile = () =>
    Promise.reject(new RunFailureError('FATAL', 'nothing is compiled while capabilities are selected'));
  const extracted = await carryOutStage(desk, openNotes(task.goal), { stage: 'extract' }, compile);
  const { outcome, notes } = await carryOutStage(desk, extracted.notes, { stage: 'select' }, compile);
  return outcome.is === 'selected' && outcome.count > 0 ? notes.selected : capabilities.map(({ name }) => name);
}

function toolDecision(read: ReturnType<typeof readDecision>, { results }: LoopNotes): ToolDecision {
  if (read.is === 'none') return { action: 'none', is: 'none', problem: read.problem };
  if (read.is === 'finish') return { action: 'finish', is: 'finish', answer: read.answer };
  const { meaning, task, arguments: args } = read;
  const more = read.ignored === 0 ? {} : { ignored: read.ignored };
  switch (meaning.is) {
    case 'plan':
      return {
        action: 'plan',
        is: 'plan',
        // The goal that people read is the run's own; the name that the model gives its plan is told as the purpose of
        // the step.
        goal: '',
        plan: args['plan'] ?? null,
        objective:
          task ?? (typeof args['goal'] === 'string' && args['goal'].trim() !== '' ? args['goal'] : 'a plan of its own'),
        ...more,
      };
    case 'agent':
      return {
        action: 'agent',
        is: 'agent',
        name: meaning.name,
        arguments: args,
        objective: task ?? `agent ${meaning.name}`,
        ...more,
      };
    case 'capability':
      return {
        action: 'capability',
        is: 'capability',
        name: meaning.name,
        arguments: args,
        objective: task ?? `capability ${meaning.name}`,
        // An argument that is exactly the key of a step takes its result as an input.
        inputs: Object.values(args).flatMap((one) =>
          typeof one === 'string' && Object.hasOwn(results, one) ? [one] : [],
        ),
        ...more,
      };
  }
}

/** External context may say of what type a value is: `{ key: { type, value } }`. */
function typesOf(context: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(context).flatMap(([key, value]) =>
      isRecord(value) && 'value' in value && typeof value['type'] === 'string' ? [[key, value['type']]] : [],
    ),
  );
}
