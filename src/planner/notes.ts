/** The notes between the stages of planning: plain JSON, which the caller stores. */

import type { JsonValue, PlanIssue } from '../plan/index.ts';
import type { PlanRevision, Question } from '../protocol/index.ts';
import type { PlanShape, WrittenDocument } from './form/index.ts';

export interface PlannerNotes {
  readonly goal: string;
  /** The task in the goal. Before `extract` it is the goal. */
  readonly task: string;
  /** Whether the task needs the conversation's history and memory. */
  readonly usesHistory: boolean;
  readonly usesMemory: boolean;
  readonly conversation: Conversation;
  /** Names of the capabilities for the plan, in the order of the project. */
  readonly selected: readonly string[];
  /**
   * Results from outside the plan that steps may name: of the run's own context, then of earlier runs, the last first.
   */
  readonly context: readonly ContextKey[];
  /** The unreadable parts of the conversation, a sentence each. */
  readonly ignored?: readonly string[];
  /** The exchange between the planner, its model, and people, in order. */
  readonly turns: readonly PlannerTurn[];
  readonly revise?: RevisionRequest;
  /** The document of the last plan that compiled. */
  readonly written?: WrittenDocument;
}

/** The parts of a conversation beside its plans. */
export interface Conversation {
  readonly history?: string;
  readonly memory?: string;
  /** Results of earlier runs, with their objectives (Osprey: context reuse). */
  readonly results?: readonly EarlierResult[];
}

/** A result of an earlier run. The plan may name its key; the run of the plan has its value. */
export interface EarlierResult {
  readonly key: string;
  readonly type?: string;
  readonly objective: string;
  readonly text?: string;
  /** The reference by which a run finds the value in its result store. */
  readonly ref?: string;
}

export interface ContextKey {
  readonly key: string;
  readonly type?: string;
  readonly objective?: string;
  readonly ref?: string;
}

export type PlannerTurn =
  | { readonly is: 'try'; readonly reply: string; readonly trouble: string; readonly issues: readonly PlanIssue[] }
  /** A question without an answer had no answer in time. */
  | { readonly is: 'question'; readonly question: Question; readonly answer?: JsonValue };

/** The plan that a run wants instead of the open one; the open plan is written as by `writeNodes`. */
export type RevisionRequest = Omit<PlanRevision, 'by'> & { readonly form?: PlanShape };

export function openNotes(
  goal: string,
  members: Partial<Pick<PlannerNotes, 'conversation' | 'context' | 'revise' | 'selected' | 'ignored'>> = {},
): PlannerNotes {
  const base = { goal, task: goal, usesHistory: true, usesMemory: true, conversation: {}, selected: [] };
  const { context = [], conversation: { results = [] } = {} } = members;
  return { ...base, ...members, context: withEarlier(context, results), turns: [] };
}

/**
 * Notes for revising the open plan: the task and the selection stay with the same goal, and earlier messages about the
 * plan go. Unchanged if they are of this revision already.
 */
export function reopenNotes(notes: PlannerNotes, goal: string, revise: RevisionRequest): PlannerNotes {
  const { revise: before, written: _, ...others } = notes;
  if (before?.base === revise.base && before.feedback === revise.feedback) return notes;
  const task = notes.goal === goal ? notes.task : goal;
  return { ...others, goal, task, turns: [], revise };
}

/** A key of the run's own hides the same one of an earlier run. */
function withEarlier(own: readonly ContextKey[], results: readonly EarlierResult[]): readonly ContextKey[] {
  const hidden = new Set(own.map(({ key }) => key));
  const earlier = results.flatMap((result) => {
    const { text: _, ...key } = result;
    return hidden.has(key.key) ? [] : [key];
  });
  return [...own, ...earlier.toReversed()];
}

/** The questions with their answers, in order; undefined for no answer. */
export function withAnswers(notes: PlannerNotes, answers: readonly (JsonValue | undefined)[]): PlannerNotes {
  let at = 0;
  const turns = notes.turns.map((turn): PlannerTurn => {
    if (turn.is !== 'question' || at >= answers.length) return turn;
    const answer = answers[at++];
    return answer === undefined ? turn : { ...turn, answer };
  });
  return { ...notes, turns };
}

/** The sources of a conversation's notes. */
export interface ConversationSources {
  readonly history?: () => Promise<string | undefined> | string | undefined;
  readonly memory?: () => Promise<string | undefined> | string | undefined;
  readonly results?: () => Promise<readonly EarlierResult[]> | readonly EarlierResult[];
}

/**
 * Reads the sources. A missing or failing source is ignored (Osprey: task extraction); `ignored` has the failures, a
 * sentence each.
 */
export async function readConversation(
  sources: ConversationSources,
): Promise<{ conversation: Conversation; ignored: readonly string[] }> {
  const ignored: string[] = [];
  const [history, memory, results] = await Promise.all([
    read('history', sources.history),
    read('memory', sources.memory),
    read('results', sources.results),
  ]);
  const conversation = {
    ...(history !== undefined && { history }),
    ...(memory !== undefined && { memory }),
    ...(results !== undefined && { results }),
  };
  return { conversation, ignored };

  async function read<Read>(name: keyof ConversationSources, source?: () => Promise<Read> | Read) {
    try {
      return await source?.();
    } catch {
      ignored.push(
        `The ${name} of the conversation cannot be read, and ${name === 'results' ? 'are' : 'is'} left out.`,
      );
      return undefined;
    }
  }
}
