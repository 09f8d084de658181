/** Selects the capabilities for a plan: all where they are few, else by one question to the model (Osprey: capability classification). */

import { isRecord, type PlanningTrouble } from '../protocol/index.ts';
import type { Capability } from '../capabilities/index.ts';
import { settle, type Planner, type Staged, type StageFailed } from './planner.ts';
import { jsonOfReply } from './form/index.ts';
import type { PlannerNotes } from './notes.ts';
import { selectRequest } from './prompts/index.ts';

/**
 * Capabilities that a selection could leave out; so many are all offered, since to choose costs more than to tell
 * them.
 */
const MOST_UNSELECTED = 16;

/** They answer or ask a person; every plan may use them, and none is made for them alone. */
const FOR_ANY_PLAN = ['respond', 'clarify', 'ask'];

/**
 * A capability that is always active is selected whatever is said. A reply that cannot be read selects all: nothing is lost by it.
 * Providers of what a selected one needs come with it. `count` has the agents too: a plan can be made with them alone.
 * @throws ModelError where another attempt may help
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
  if (open.length > MOST_UNSELECTED) {
    try {
      named = namesIn(jsonOfReply(await planner.ask(selectRequest(notes, open, before, planner.prompts), 'select')));
    } catch (error) {
      const { trouble, isReply } = settle(planner, error);
      if (!isReply) return { notes, outcome: { is: 'failed', trouble } };
    }
  }
  const chosen = planner.capabilities.filter(
    (one) => named === undefined || !open.includes(one) || named.includes(one.name),
  );
  const given = notes.context.flatMap(({ type }) => (type === undefined ? [] : [type]));
  const selected = withProviders(new Set(chosen), planner.capabilities, new Set(given)).map(({ name }) => name);
  const count = selected.filter((name) => !FOR_ANY_PLAN.includes(name)).length + planner.agents.length;
  return { notes: { ...notes, selected }, outcome: { is: 'selected', count } };
}

function namesIn(value: unknown): readonly unknown[] | undefined {
  const list = isRecord(value) ? value['capabilities'] : value;
  return Array.isArray(list) ? list : undefined;
}

/**
 * Adds the capabilities that give the types that these need and no result from outside the plan has, and the needs of
 * those in turn. In the order of the project.
 */
function withProviders(
  chosen: ReadonlySet<Capability>,
  all: readonly Capability[],
  given: ReadonlySet<string>,
): readonly Capability[] {
  const selected = new Set(chosen);
  // A set hands out what is added to it while it is walked.
  for (const { requires } of selected) {
    for (const type of requires) {
      const isThere = given.has(type) || [...selected].some(({ provides }) => provides.includes(type));
      if (!isThere) for (const one of all) if (one.provides.includes(type)) selected.add(one);
    }
  }
  return all.filter((one) => selected.has(one));
}
