/** Selects the capabilities for a plan: all if there are few, otherwise by asking the model (as in Osprey). */

import { isRecord, type PlanningTrouble, ROUTES, type Route } from '../protocol/index.ts';
import type { Capability } from '../capabilities/index.ts';
import { settleFailure, type Planner, type Staged, type StageFailed, askStage } from './planner.ts';
import { jsonOfReply } from './form/index.ts';
import type { PlannerNotes } from './notes.ts';
import { selectRequest } from './prompts/index.ts';

/** Maximum number of capabilities that are offered without a selection, which would cost more than it saves. */
const MAX_UNSELECTED = 16;

/** Capabilities that answer or ask a person. Every plan may use them, and they do not count as selected. */
const FOR_ANY_PLAN = ['respond', 'clarify', 'ask'];

/**
 * Selects the capabilities for a plan. Adds capabilities that are always active or provide what others need. An
 * unreadable reply selects all. `count` includes the agents, since a plan may use only agents.
 * @throws ModelError if a retry may help
 */
export async function selectCapabilities(
  planner: Planner,
  notes: PlannerNotes,
  before?: PlanningTrouble,
): Promise<Staged<{ readonly is: 'selected'; readonly count: number } | StageFailed>> {
  const open = planner.capabilities.filter(
    ({ name, alwaysActive }) => alwaysActive !== true && !FOR_ANY_PLAN.includes(name),
  );
  let named: readonly unknown[] | undefined;
  if (open.length > MAX_UNSELECTED) {
    try {
      named = namesIn(jsonOfReply(await planner.ask(selectRequest(notes, open, before, planner.prompts), 'select')));
    } catch (error) {
      const { trouble, isReply } = settleFailure(planner, error);
      if (!isReply) return { notes, outcome: { is: 'failed', trouble } };
    }
  }
  const chosen = planner.capabilities.filter(
    (one) => named === undefined || !open.includes(one) || named.includes(one.name),
  );
  const types = notes.context.flatMap(({ type }) => (type === undefined ? [] : [type]));
  const selected = withProviders(new Set(chosen), planner.capabilities, new Set(types)).map(({ name }) => name);
  const count = selected.filter((name) => !FOR_ANY_PLAN.includes(name)).length + planner.agents.length;
  return { notes: { ...notes, selected }, outcome: { is: 'selected', count } };
}

function namesIn(value: unknown): readonly unknown[] | undefined {
  const list = isRecord(value) ? value['capabilities'] : value;
  return Array.isArray(list) ? list : undefined;
}

/**
 * Adds capabilities that provide what the selected ones require, and what the added ones require. `types` come from
 * outside.
 */
function withProviders(
  chosen: ReadonlySet<Capability>,
  all: readonly Capability[],
  types: ReadonlySet<string>,
): readonly Capability[] {
  const selected = new Set(chosen);
  for (const { requires } of selected) {
    for (const type of requires) {
      const isThere = types.has(type) || [...selected].some(({ provides }) => provides.includes(type));
      if (!isThere) for (const one of all) if (one.provides.includes(type)) selected.add(one);
    }
  }
  return all.filter((one) => selected.has(one));
}

/**
 * Finds the task in the goal (Osprey: task extraction). Without a conversation, the goal is the task. If the reply
 * cannot be read, the task is the goal with the whole conversation.
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
  return askStage(planner, notes, 'extract', { format: 'task', reply }, (answer) => {
    const { task, depends_on_chat_history: onHistory, depends_on_user_memory: onMemory } = answer;
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

/** Asks the model how to run the goal. An unreadable answer counts as `plan-first`, so that a person decides. */
export async function routeGoal(
  planner: Planner,
  notes: PlannerNotes,
): Promise<Staged<{ readonly is: 'routed'; readonly route: Route } | StageFailed>> {
  return askStage(planner, notes, 'route', { format: 'route', reply: { route: { enum: ROUTES } } }, (answer) => {
    const route = ROUTES.find((one) => one === answer['route']) ?? 'plan-first';
    return { notes, outcome: { is: 'routed', route } };
  });
}
