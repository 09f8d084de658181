/** Selects the capabilities for a plan: one question to the model for each (Osprey: capability classification). */

import { isRecord, type PlanningTrouble } from '../wire/contract/index.ts';
import type { Capability } from '../define/index.ts';
import type { ModelReply } from '../model/index.ts';
import { isModelFailure, settle, type PlannerDesk, type Staged } from './desk.ts';
import { jsonOfReply } from './form/index.ts';
import type { PlannerNotes } from './notes.ts';
import { classifierRequest } from './prompts/index.ts';

/** Osprey: max_concurrent_classifications. */
const CALLS_AT_ONCE = 5;

/** They answer or ask a person; every plan may use them, and none is made for them alone. */
const FOR_ANY_PLAN = ['respond', 'clarify', 'ask'];

export type SelectOutcome =
  | { readonly is: 'selected'; readonly count: number }
  | { readonly is: 'failed'; readonly trouble: PlanningTrouble };

/**
 * A capability that is always active is selected without a call, and a call that failed selects nothing. Providers of what a
 * selected one needs come with it. `count` has the agents too: a plan can be made with them alone.
 * @throws ModelError where another attempt may help, after all calls have ended
 */
export async function selectCapabilities(
  desk: PlannerDesk,
  notes: PlannerNotes,
  before?: PlanningTrouble,
): Promise<Staged<SelectOutcome>> {
  const asked = desk.capabilities.filter(
    ({ name, alwaysActive }) => alwaysActive !== true && !FOR_ANY_PLAN.includes(name),
  );
  const answers = await inTurn(asked, CALLS_AT_ONCE, (capability) => isNeeded(desk, notes, capability, before));
  const errors = answers.flatMap((answer) => ('error' in answer ? [answer.error] : []));
  const stray = errors.find((error) => !isModelFailure(error));
  if (stray !== undefined) throw stray;
  const failures = errors.map((error) => settle(desk, error));
  const chosen = new Set(
    asked.filter((_, at) => answers[at] !== undefined && 'needed' in answers[at] && answers[at].needed),
  );
  for (const one of desk.capabilities) if (!asked.includes(one)) chosen.add(one);
  const given = notes.context.flatMap(({ type }) => (type === undefined ? [] : [type]));
  const selected = withProviders(chosen, desk.capabilities, new Set(given)).map(({ name }) => name);
  const count = selected.filter((name) => !FOR_ANY_PLAN.includes(name)).length + desk.agents.length;
  const [first] = failures;
  // None could be asked about at all: to look again would be to fail again.
  if (count === 0 && first !== undefined && failures.length === asked.length) {
    return { notes, outcome: { is: 'failed', trouble: first.trouble } };
  }
  return { notes: { ...notes, selected }, outcome: { is: 'selected', count } };
}

type Answer = { readonly needed: boolean } | { readonly error: unknown };

async function isNeeded(
  desk: PlannerDesk,
  notes: PlannerNotes,
  capability: Capability,
  before: PlanningTrouble | undefined,
): Promise<Answer> {
  try {
    const request = classifierRequest(notes, capability, before, { prompts: desk.prompts });
    return { needed: saysYes(await desk.ask(request, `select/${capability.name}`)) };
  } catch (error) {
    return { error };
  }
}

/** A reply that is neither yes nor no counts as no. */
function saysYes(reply: ModelReply): boolean {
  const value = jsonOfReply(reply);
  if (isRecord(value)) return value['needed'] === true;
  return /^\W*(?:yes|true)\b/i.test(reply.text);
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

/** The results in the order of the items, with at most so many under way. */
async function inTurn<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const left = items.entries();
  await Promise.all(
    Array.from({ length: Math.min(atOnce, items.length) }, async () => {
      for (const [at, item] of left) results[at] = await work(item);
    }),
  );
  return results;
}
