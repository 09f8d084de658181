import type { JsonValue, PlanIssue } from '../plan/index.ts';
import type { PlanRevision, Question } from '../protocol/index.ts';
import type { WrittenForm, WrittenDocument } from './form/index.ts';

export interface PlannerNotes {
  readonly goal: string;
  /** The task in the goal. Before the stage `extract`, it is the goal. */
  readonly task: string;
  /** Whether the task needs the history and the memory of the conversation. */
  readonly usesHistory: boolean;
  readonly usesMemory: boolean;
  readonly conversation: Conversation;
  /** The names of the capabilities for the plan, in the order of the project. */
  readonly selected: readonly string[];
  /** Results from outside the plan that steps may name: the run's context, then earlier runs' results, latest first. */
  readonly context: readonly ContextKey[];
  readonly ignored?: readonly string[];
  readonly turns: readonly PlannerTurn[];
  readonly revise?: RevisionRequest;
  readonly written?: WrittenDocument;
}

export interface Conversation {
  readonly history?: string;
  readonly memory?: string;
  /** Results of earlier runs, with their objectives (Osprey: context reuse). */
  readonly results?: readonly EarlierResult[];
}

/** A result of an earlier run. The plan may name its key, and the run of the plan has its value. */
export interface EarlierResult {
  readonly key: string;
  readonly type?: string;
  readonly objective: string;
  readonly text?: string;
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
  | { readonly is: 'question'; readonly question: Question; readonly answer?: JsonValue };

/** A request to replace the rest of a run's plan, with the open nodes in the form of `writeNodes`. */
export type RevisionRequest = Omit<PlanRevision, 'by'> & { readonly form?: WrittenForm };

export function openNotes(
  goal: string,
  members: Partial<Pick<PlannerNotes, 'conversation' | 'context' | 'revise' | 'selected' | 'ignored'>> = {},
): PlannerNotes {
  const base = { goal, task: goal, usesHistory: true, usesMemory: true, conversation: {}, selected: [] };
  const { context = [], conversation: { results = [] } = {} } = members;
  return { ...base, ...members, context: withEarlier(context, results), turns: [] };
}

/**
 * Prepares notes for a revision of the open plan. If the goal is the same, the task and the selected capabilities stay.
 * Earlier messages are removed. Notes that are already for this revision do not change.
 */
export function reopenNotes(notes: PlannerNotes, goal: string, revise: RevisionRequest): PlannerNotes {
  const { revise: before, written: _, ...others } = notes;
  if (before?.base === revise.base && before.feedback === revise.feedback) return notes;
  const task = notes.goal === goal ? notes.task : goal;
  return { ...others, goal, task, turns: [], revise };
}

/** Adds the results of earlier runs. A key in the run's own context hides the same key of an earlier run. */
function withEarlier(own: readonly ContextKey[], results: readonly EarlierResult[]): readonly ContextKey[] {
  const hidden = new Set(own.map(({ key }) => key));
  const earlier = results.flatMap((result) => {
    const { text: _, ...key } = result;
    return hidden.has(key.key) ? [] : [key];
  });
  return [...own, ...earlier.toReversed()];
}

/** Adds answers to the questions in order; undefined stands for no answer. */
export function withAnswers(notes: PlannerNotes, answers: readonly (JsonValue | undefined)[]): PlannerNotes {
  let at = 0;
  const turns = notes.turns.map((turn): PlannerTurn => {
    if (turn.is !== 'question' || at >= answers.length) return turn;
    const answer = answers[at++];
    return answer === undefined ? turn : { ...turn, answer };
  });
  return { ...notes, turns };
}

export interface ConversationSources {
  readonly history?: () => Promise<string | undefined> | string | undefined;
  readonly memory?: () => Promise<string | undefined> | string | undefined;
  readonly results?: () => Promise<readonly EarlierResult[]> | readonly EarlierResult[];
}

/** Reads a conversation. A part that fails is omitted (Osprey: task extraction); `ignored` has a sentence for it. */
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
