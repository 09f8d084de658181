/** The first stages: finding the task in the goal, and the way in which it is to be run. */

import { isRecord, ROUTES, type PlanningTrouble, type Route } from '../wire/contract/index.ts';
import { settle, type PlannerDesk } from './desk.ts';
import { jsonOfReply } from './form/index.ts';
import type { PlannerNotes } from './notes.ts';
import { extractionRequest, routeRequest } from './prompts/index.ts';

/** The outcome of a stage, beside the notes that it hands on. */
export interface Staged<Outcome> {
  readonly notes: PlannerNotes;
  readonly outcome: Outcome;
}

interface Failed {
  readonly is: 'failed';
  readonly trouble: PlanningTrouble;
}

/**
 * Osprey: task extraction. A reply that cannot be read loses nothing: the goal is the task then, with all that was said.
 * @throws ModelError where another attempt may help
 */
export async function extractTask(
  desk: PlannerDesk,
  notes: PlannerNotes,
): Promise<Staged<{ readonly is: 'extracted' } | Failed>> {
  let value: unknown;
  try {
    value = jsonOfReply(await desk.ask(extractionRequest(notes, { prompts: desk.prompts }), 'extract'));
  } catch (error) {
    const { trouble, isReply } = settle(desk, error);
    if (!isReply) return { notes, outcome: { is: 'failed', trouble } };
  }
  const said = isRecord(value) ? value : {};
  const { task, depends_on_chat_history: history, depends_on_user_memory: memory } = said;
  return {
    notes: {
      ...notes,
      task: typeof task === 'string' && task.trim() !== '' ? task.trim() : notes.goal,
      usesHistory: history !== false,
      usesMemory: memory !== false,
    },
    outcome: { is: 'extracted' },
  };
}

/**
 * How the goal is to be run, where that is left to a model. A goal that is unclear is planned first, and then decided
 * by a person.
 */
export async function routeGoal(
  desk: PlannerDesk,
  notes: PlannerNotes,
): Promise<Staged<{ readonly is: 'routed'; readonly route: Route } | Failed>> {
  try {
    const value = jsonOfReply(await desk.ask(routeRequest(notes, { prompts: desk.prompts }), 'route'));
    const named = isRecord(value) ? value['route'] : undefined;
    const route = ROUTES.find((one) => one === named) ?? 'plan-first';
    return { notes, outcome: { is: 'routed', route } };
  } catch (error) {
    const { trouble, isReply } = settle(desk, error);
    if (!isReply) return { notes, outcome: { is: 'failed', trouble } };
    return { notes, outcome: { is: 'routed', route: 'plan-first' } };
  }
}
