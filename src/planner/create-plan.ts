import {
  describe,
  isRecord,
  PLANNING,
  type PlanningOutcome,
  type PlanningTrouble,
  type Question,
  type Usage,
  afterAnswer,
  afterStage,
  NO_USAGE,
  openPlanning,
  type Planning,
  type PlanningStep,
  type PlanningRequest,
} from '../protocol/index.ts';
import type { Agent, Capability } from '../capabilities/index.ts';
import { compileDocument } from '../capabilities/compile-document.ts';
import {
  MODEL_LIMITS,
  planDocument,
  type Catalogue,
  type CompiledPlan,
  type CompileResult,
  type JsonValue,
} from '../plan/index.ts';
import {
  trouble,
  type Planner,
  type Staged,
  offeredFor,
  offeredLines,
  type Offered,
  type Withheld,
} from './planner.ts';
import type { WrittenDocument } from './form/index.ts';
import type { ModelClient } from '../models/index.ts';
import { openNotes, readConversation, withAnswers, type ConversationSources, type PlannerNotes } from './notes.ts';
import { createFeedback, type Feedback } from './partial.ts';
import { readPrompts, type Prompts } from './prompts/index.ts';
import { askingOf } from './asking.ts';
import {
  directDocument,
  type WrittenPlan,
  planDirect,
  planFallback,
  writePlan,
  type Compile,
  type Checked,
} from './write-plan.ts';
import { extractTask, routeGoal, selectCapabilities } from './select-capabilities.ts';

/** The options of `createPlan`: the planning model, the capabilities and results for the plan, and listeners. */
export interface CreatePlanOptions {
  readonly model: ModelClient;
  /** The capabilities for the plan, in addition to the agents. Default none. */
  readonly capabilities?: readonly Capability[];
  /** Capabilities that the plan may not use, each with the reason. The feedback lists them. Default none. */
  readonly withheld?: readonly Withheld[];
  /**
   * The executors of the project. Names and arguments are checked against the catalogue. By default, only names are
   * checked, against the agents and `capabilities`.
   */
  readonly catalogue?: Catalogue;
  /** Results from outside the plan, by key, that steps may use. The model sees only keys; a run needs the values. */
  readonly context?: Readonly<Record<string, unknown>>;
  readonly conversation?: ConversationSources;
  /** Receives the stages of planning, then the plan while the model writes it. If it throws, planning ends. */
  readonly onFeedback?: (feedback: Feedback) => void;
  /** Answers a question of the planner, or returns undefined for no answer. By default nobody answers. */
  readonly onQuestion?: (question: Question) => Promise<JsonValue | undefined> | JsonValue | undefined;
  readonly prompts?: Prompts;
  /** The format in which the model writes plans. Default `nodes`. */
  readonly format?: 'nodes' | 'xml';
  readonly signal?: AbortSignal;
  /** Waits this many milliseconds between two attempts of a call. Default: a timer. */
  readonly sleep?: (ms: number) => Promise<void>;
}

/** The plan that `createPlan` made, with its document, its cost, and whether a model wrote it. */
export interface CreatedPlan {
  readonly plan: CompiledPlan;
  /** A document that compiles to the plan: a tree or a list of steps, even if the model wrote a flat list. */
  readonly document: WrittenDocument;
  /** True if no model made the plan: one step for the first agent, or else for the default executor. */
  readonly fallback: boolean;
  readonly usage: Usage;
  /**
   * The capabilities that the planner could use, and those withheld, with reasons; absent if planning ended before
   * selection.
   */
  readonly offered?: Offered;
  readonly feedback: readonly Feedback[];
  readonly trouble?: PlanningTrouble;
}

/**
 * Makes a plan for an objective (Calute: create_plan). It always returns a plan, whatever the model or its server does;
 * one that no model made is marked as a fallback. Equal replies give equal plans.
 * @throws TypeError if nothing could run a plan, or if the prompts are invalid
 * @throws the reason of `signal`, and errors of callbacks
 * @example
 * const { plan, fallback } = await createPlan('Compare two markets', [researcher, writer], { model });
 */
export async function createPlan(
  objective: string,
  agents: readonly Agent[],
  options: CreatePlanOptions,
): Promise<CreatedPlan> {
  const isAgent = (one: unknown) => isRecord(one) && typeof one['instructions'] === 'string';
  if (!Array.isArray(agents) || !agents.every(isAgent))
    throw new TypeError(
      'createPlan(objective, agents, options): agents is a list of agents; capabilities go in options',
    );
  if (!isRecord(options)) throw new TypeError('createPlan(objective, agents, options): give options, with a model');
  const { capabilities = [], withheld = [], catalogue, context = {}, conversation: sources = {} } = options;
  if (agents.length === 0 && capabilities.length === 0) throw new TypeError(NOTHING_TO_PLAN_WITH);
  if (!isRecord(context))
    throw new TypeError(`context: give an object, whose keys name results; got ${describe(context)}`);
  if (objective.trim() === '') throw new TypeError('The objective is blank. Say in a sentence what the plan is for.');
  const feedback: Feedback[] = [];
  const report = (one: Feedback): void => {
    feedback.push(one);
    options.onFeedback?.(one);
  };
  const total = { usage: NO_USAGE };
  const planner: Planner = {
    capabilities,
    agents,
    withheld,
    ...(catalogue?.defaultExecutor !== undefined && { defaultExecutor: catalogue.defaultExecutor }),
    prompts: readPrompts(options.prompts, 'prompts'),
    format: options.format ?? 'nodes',
    ask: askingOf({ ...options, onWait: (text) => report({ is: 'trouble', text }) }, total),
  };
  const { conversation, ignored } = await readConversation(sources);
  for (const text of ignored) report({ is: 'trouble', text });
  const own = Object.keys(context).map((key) => ({ key }));
  let notes = openNotes(objective, { conversation, context: own, ...(ignored.length > 0 && { ignored }) });
  let offered: Offered | undefined;
  let step: PlanningStep = { next: 'stage', planning: openPlanning(notes.goal, 'plan-first') };
  let last: WrittenPlan<CompileResult> | undefined;
  const answers: (JsonValue | undefined)[] = [];
  while (step.next === 'stage' || step.next === 'ask') {
    const planning: Planning = step.planning;
    if (step.next === 'ask') {
      answers.push(await options.onQuestion?.(step.question));
      notes = withAnswers(notes, answers);
      step = { next: 'stage', planning: afterAnswer(planning, { question: step.question.text, ref: '' }) };
      continue;
    }
    report({ is: 'stage', text: PLANNING[planning.stage].title });
    const staged = await runStage({ ...planner, onText: createFeedback(report) }, notes, planning, compile);
    notes = staged.notes;
    const { outcome } = staged;
    if (outcome.is === 'selected') tellOffered(offeredFor(planner, notes));
    if ('trouble' in outcome) report({ is: 'trouble', text: outcome.trouble.message });
    last = outcome.is === 'written' ? outcome : undefined;
    for (const { message } of last?.warnings ?? []) report({ is: 'note', text: message });
    const ending: PlanningOutcome = outcome.is === 'written' ? { is: 'compiled', pages: [] } : outcome;
    step = afterStage(planning, { usage: NO_USAGE, outcome: ending });
  }
  const made = { usage: total.usage, ...(offered !== undefined && { offered }), feedback };
  const { trouble: before } = step.planning;
  if (step.next === 'plan' && last !== undefined && notes.written !== undefined) {
    const { plan } = last.compiled;
    const planText = 'nodes' in notes.written ? planDocument(plan) : undefined;
    const why = step.isFallback && before !== undefined && { trouble: before };
    const document = planText === undefined ? notes.written : { ...planText };
    return { plan, document, fallback: step.isFallback, ...why, ...made };
  }
  const answer = directDocument(notes);
  const compiled = await compile(answer);
  if (!compiled.ok)
    throw new TypeError(`The project has no "respond" that takes a task alone: ${compiled.issues[0]?.message}`);
  const problem = step.next === 'fail' ? step.trouble : trouble('CRITICAL', 'Planning ended without a plan.');
  const message = before === undefined ? problem.message : `${before.message}\n${problem.message}`;
  return { plan: compiled.plan, document: answer, fallback: true, trouble: { ...problem, message }, ...made };

  function compile(document: WrittenDocument, how?: { readonly isStep: true }) {
    const names = { capabilities: capabilities.map(({ name }) => name), agents: agents.map(({ name }) => name) };
    return compileDocument(document, {
      ...(catalogue === undefined ? names : { catalogue }),
      contextKeys: notes.context.map(({ key }) => key),
      ...how,
      limits: MODEL_LIMITS,
    });
  }

  function tellOffered(now: Offered): void {
    const lines = offeredLines(now);
    const isNew = offered === undefined || lines.join() !== offeredLines(offered).join();
    offered = now;
    if (isNew) for (const text of lines) report({ is: 'note', text });
  }
}

const NOTHING_TO_PLAN_WITH =
  'There are no agents configured and no capabilities, so that no plan can be made. Give at least one agent, made with defineAgent, or "capabilities".';

/** The outcome of a stage for the state machine of planning. A plan has the result of the caller's compiler. */
type StageOutcome<Result extends Checked> = Exclude<PlanningOutcome, { is: 'compiled' }> | WrittenPlan<Result>;

/** Runs one stage. @throws ModelError if a retry may help and this is not the last attempt */
export async function runStage<Result extends Checked>(
  planner: Planner,
  notes: PlannerNotes,
  planning: Pick<PlanningRequest, 'stage' | 'trouble'>,
  compile: Compile<Result>,
): Promise<Staged<StageOutcome<Result>>> {
  switch (planning.stage) {
    case 'extract':
      return extractTask(planner, notes);
    case 'route':
      return routeGoal(planner, notes);
    case 'select':
      return selectCapabilities(planner, notes, planning.trouble);
    case 'write':
      return writePlan(planner, notes, compile);
    case 'direct':
      return planDirect(notes, compile);
    case 'fallback':
      return planFallback(planner, notes, compile);
  }
}
