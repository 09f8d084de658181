/** The first stages: extracts the task from the goal, and decides how to run it. */

import { ROUTES, type Route } from '../protocol/index.ts';
import { askStage, type Planner, type Staged, type StageFailed } from './planner.ts';
import type { PlannerNotes } from './notes.ts';

/**
 * Osprey: task extraction. Without a conversation the goal is the task, and nobody is asked. If the reply cannot be
 * read, the task is the goal with the whole conversation.
 * @throws ModelError if a retry may help
 */
export async function extractTask(
  planner: Planner,
  notes: PlannerNotes,
): Promise<Staged<{ readonly is: 'extracted' } | StageFailed>> {
  const { history, memory } = notes.conversation;
  if (history === undefined && memory === undefined) return { notes, outcome: { is: 'extracted' } };
  const flag = { type: 'boolean' };
  const reply = { task: { type: 'string' }, depends_on_chat_history: flag, depends_on_user_memory: flag };
  return askStage(planner, notes, 'extract', { format: 'task', reply }, (said) => {
    const { task, depends_on_chat_history: onHistory, depends_on_user_memory: onMemory } = said;
    return {
      notes: {
        ...notes,
        task: typeof task === 'string' && task.trim() !== '' ? task.trim() : notes.goal,
        usesHistory: onHistory !== false,
        usesMemory: onMemory !== false,
      },
      outcome: { is: 'extracted' },
    };
  });
}

/** How to run the goal, if a model decides that. An unclear goal is planned first, and a person decides. */
export async function routeGoal(
  planner: Planner,
  notes: PlannerNotes,
): Promise<Staged<{ readonly is: 'routed'; readonly route: Route } | StageFailed>> {
  return askStage(planner, notes, 'route', { format: 'route', reply: { route: { enum: ROUTES } } }, (said) => {
    const route = ROUTES.find((one) => one === said['route']) ?? 'plan-first';
    return { notes, outcome: { is: 'routed', route } };
  });
}
