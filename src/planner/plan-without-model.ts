/** Plans that no model writes: the one that is left when planning fails, and the one for a goal that needs none. */

import { trouble, type PlannerDesk, type Staged } from './desk.ts';
import type { WrittenDocument } from './form/index.ts';
import type { PlannerNotes } from './notes.ts';
import { compilePlanOf, type Compile, type Compiled, type WithoutModel } from './write-plan.ts';

/** Calute: fallback plan: its estimated time, in minutes. */
const FALLBACK_MINUTES = 5;

/**
 * Calute: fallback plan: one step for the first agent; without agents one for the project's default. The caller marks
 * it as a fallback, and it never runs without a person.
 */
export async function planFallback<Result extends Compiled>(
  desk: PlannerDesk,
  notes: PlannerNotes,
  compile: Compile<Result>,
): Promise<Staged<WithoutModel<Result>>> {
  const document = fallbackDocument(desk, notes.goal);
  if (document === undefined) return { notes, outcome: { is: 'failed', trouble: trouble('CRITICAL', NO_AGENTS) } };
  return compilePlanOf(notes, document, (one) => compile(one, { isStep: true }));
}

/** A plan of one `respond` step, for a goal that is answered from what is known. */
export async function planDirect<Result extends Compiled>(
  notes: PlannerNotes,
  compile: Compile<Result>,
): Promise<Staged<WithoutModel<Result>>> {
  return compilePlanOf(notes, directDocument(notes), compile);
}

const NO_AGENTS =
  'There are no agents configured, so that no fallback plan can be made. Declare one with defineAgent under "agents" of the configuration, or name a capability in "tasks.default".';

/** @example fallbackDocument({ agents: [researcher] }, 'Find targets')?.steps; // one step, by the agent researcher */
export function fallbackDocument(
  { agents, defaultExecutor }: Pick<PlannerDesk, 'agents' | 'defaultExecutor'>,
  goal: string,
): WrittenDocument | undefined {
  const [first] = agents;
  const facts = { goal, complexity: 'low', estimated_time: FALLBACK_MINUTES };
  const step = { step_id: 1, action: 'execute_objective', task_objective: goal };
  if (first !== undefined) return { ...facts, steps: [{ ...step, agent: first.name, arguments: { objective: goal } }] };
  // A capability's arguments are its own, so it is given the task alone.
  if (defaultExecutor !== undefined)
    return { ...facts, steps: [{ ...step, [defaultExecutor.kind]: defaultExecutor.name }] };
  return undefined;
}

export function directDocument({ goal, task }: Pick<PlannerNotes, 'goal' | 'task'>): WrittenDocument {
  return { goal, steps: [{ context_key: 'user_response', capability: 'respond', task_objective: task }] };
}
