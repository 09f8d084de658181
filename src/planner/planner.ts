import {
  isRecord,
  type ErrorClass,
  type PlanningStage,
  type PlanningTrouble,
  type Question,
} from '../protocol/index.ts';
import type { Agent, Capability } from '../capabilities/index.ts';
import { groupsBy, type Executor } from '../plan/index.ts';
import { cutCharacters, messageOf } from '../plan/text/index.ts';
import type { ModelReply, ModelRequest } from '../models/index.ts';
import { jsonOfReply } from './form/index.ts';
import type { PlannerNotes } from './notes.ts';
import { stageRequest, type PromptName, type Prompts, type StageQuestion } from './prompts/index.ts';

export interface Planner {
  /** Makes one call. The implementation stores the reply and counts its usage. @throws ModelError */
  ask(request: ModelRequest, purpose: PlanningStage, onText?: (delta: string) => void): Promise<ModelReply>;
  readonly capabilities: readonly Capability[];
  readonly agents: readonly Agent[];
  readonly withheld?: readonly Withheld[];
  readonly defaultExecutor?: Executor;
  readonly prompts: Prompts;
  /** The format of plans: a flat list in JSON, or XML (Calute). */
  readonly format: 'nodes' | 'xml';
  /** Receives the plan in pieces while the model writes it. */
  readonly onText?: (delta: string) => void;
  readonly questionProblem?: (question: Question) => string | undefined;
  /** If false, failures that a retry may fix are thrown for that retry. By default the stage handles them. */
  readonly isLastAttempt?: boolean;
}

/** A ModelError by its fields, since it may come from another copy of the class. */
export interface ModelFailure extends Error {
  readonly kind: string;
  readonly severity: ErrorClass;
  readonly forPeople?: string;
  readonly retryAfterMs?: number;
}

export function isModelFailure(error: unknown): error is ModelFailure {
  return (
    error instanceof Error && error.name === 'ModelError' && typeof (error as { kind?: unknown }).kind === 'string'
  );
}

const MAX_TROUBLE = 2000;

export function trouble(severity: ErrorClass, message: string): PlanningTrouble {
  return { severity, message: cutCharacters(message, MAX_TROUBLE) };
}

/** The kinds of failures where the model answered without a plan. All others come from the server. */
const NO_PLAN_KINDS = ['refusal', 'content-filter', 'cut-off', 'format-not-kept'];

/** What a failed call means for planning. A model sees the message only if its reply was not a plan. */
export function troubleOf(error: unknown): PlanningTrouble {
  if (!isModelFailure(error)) return trouble('CRITICAL', messageOf(error));
  const { kind, severity, forPeople } = error;
  const message = messageOf(error);
  if (forPeople === undefined || NO_PLAN_KINDS.includes(kind)) return trouble(severity, message);
  return trouble(severity, `${message.replace(/[.\s]+$/, '')}. ${forPeople}`);
}

export interface SettledFailure {
  readonly trouble: PlanningTrouble;
  readonly isReply: boolean;
}

/**
 * Handles a failed call.
 * @throws errors that a retry may fix or that no model caused, and cancelled calls
 */
export function settleFailure(planner: Planner, error: unknown): SettledFailure {
  if (!isModelFailure(error) || error.kind === 'cancelled') throw error;
  if (error.severity === 'RETRIABLE' && planner.isLastAttempt === false) throw error;
  const isReply = NO_PLAN_KINDS.includes(error.kind);
  const problem = troubleOf(error);
  return { trouble: isReply ? { ...problem, severity: 'REPLANNING' } : problem, isReply };
}

export interface Staged<Outcome> {
  readonly notes: PlannerNotes;
  readonly outcome: Outcome;
}

export interface StageFailed {
  readonly is: 'failed';
  readonly trouble: PlanningTrouble;
}

/** Asks the model for a stage. An unreadable reply counts as an empty object. @throws ModelError if a retry may help */
export async function askStage<Outcome>(
  planner: Planner,
  notes: PlannerNotes,
  stage: PlanningStage & PromptName,
  question: StageQuestion,
  read: (reply: Readonly<Record<string, unknown>>) => Staged<Outcome> | Promise<Staged<Outcome>>,
): Promise<Staged<Outcome | StageFailed>> {
  let reply: unknown;
  try {
    reply = jsonOfReply(await planner.ask(stageRequest(stage, notes, question, { prompts: planner.prompts }), stage));
  } catch (error) {
    const { trouble: problem, isReply } = settleFailure(planner, error);
    if (!isReply) return { notes, outcome: { is: 'failed', trouble: problem } };
  }
  return read(isRecord(reply) ? reply : {});
}

/** A capability of the project that planners do not see, with the reason. */
export interface Withheld {
  readonly name: string;
  readonly why: string;
}

export interface Offered {
  readonly capabilities: readonly string[];
  readonly agents: readonly string[];
  readonly withheld: readonly Withheld[];
}

interface Named {
  readonly name: string;
}

const NOT_SELECTED = 'the task was said not to need it';
const MAX_LINE = 300;

export function offeredFor(
  planner: {
    readonly capabilities: readonly Named[];
    readonly agents: readonly Named[];
    readonly withheld?: Offered['withheld'];
  },
  { selected }: { readonly selected: readonly string[] },
): Offered {
  const names = planner.capabilities.map(({ name }) => name);
  const left = names.filter((name) => !selected.includes(name));
  return {
    capabilities: names.filter((name) => selected.includes(name)),
    agents: planner.agents.map(({ name }) => name),
    withheld: [...(planner.withheld ?? []), ...left.map((name) => ({ name, why: NOT_SELECTED }))],
  };
}

/** Lines with the offered capabilities, and with reasons why others are missing, at most 300 characters each. */
export function offeredLines({ capabilities, agents, withheld }: Offered): readonly string[] {
  const offered = [...capabilities, ...agents.map((name) => `agent ${name}`)].join(', ') || 'nothing';
  const byReason = groupsBy(withheld, ({ why }) => why);
  const lines = [...byReason].map(
    ([why, all]) => `Not offered, since ${why}: ${all.map(({ name }) => name).join(', ')}.`,
  );
  return [`Offered: ${offered}.`, ...lines].map((line) => cutCharacters(line, MAX_LINE));
}
