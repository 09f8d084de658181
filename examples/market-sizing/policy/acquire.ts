/** Looks for work that needs no model: what blocks the calculation first, then what else is wanted, then the end. */

import type { Caps } from './caps.ts';
import { askAbout, finishFor, searchFor, type AskUser, type Search } from './decision.ts';
import { decompose, DECOMPOSITIONS_PER_STAGE } from './decompose.ts';
import {
  canBeFound,
  componentsOf,
  fieldOf,
  mayAsk,
  mayBeDecomposed,
  maySearch,
  missingOf,
  missingWanted,
  searchesOf,
} from './fields.ts';
import { openInputs } from './recipe.ts';
import { on, type Around, type MarketStage } from './stages.ts';
import type { State } from './state.ts';

/** A search or a question whose words are known beforehand; undefined where the model has to find some. */
export function taskFor(state: State, name: string, caps: Caps): Search | AskUser | undefined {
  const { prefer, queries = [], question, title } = fieldOf(state, name) ?? {};
  const query = maySearch(state, name, caps) ? queries[searchesOf(state, name)] : undefined;
  const search = query === undefined ? undefined : searchFor(state, name, `${title} is missing.`, query);
  const isAskable = question !== undefined && mayAsk(state, name, caps);
  const ask = isAskable ? askAbout(state, name, `${title} is missing.`) : undefined;
  return prefer === 'user' ? (ask ?? search) : (search ?? ask);
}

/** The first task among these fields. */
export function firstTask(state: State, names: readonly string[], caps: Caps): Search | AskUser | undefined {
  for (const name of names) {
    const task = taskFor(state, name, caps);
    if (task !== undefined) return task;
  }
  return undefined;
}

/** The rules can do no more without the model, and there is no work for it. */
export function mayAutoFinish(state: State, caps: Caps): boolean {
  if (state.tasks.length > 0 || openInputs(state, caps).length > 0) return false;
  return missingWanted(state).every((name) => !canBeFound(state, name, caps));
}

/** VentureScope: acquire. One node: the order of its three parts is what it is about. */
export function acquireTask(caps: Caps): MarketStage<'select'> {
  return on.select({
    name: 'acquire',
    about: 'a task for what blocks the calculation, for what else is wanted, or the end',
    writes: ['dynamicDecompositions'],
    async run(given, around) {
      const { state, task } = await blockedTask(given, caps, around);
      const { dynamicDecompositions } = state;
      const patch = state === given ? {} : { state: { dynamicDecompositions } };
      const found = task ?? firstTask(state, missingWanted(state), caps);
      if (found !== undefined) return { decision: found, ...patch };
      if (!mayAutoFinish(state, caps)) return patch;
      return { decision: finishFor('Nothing is missing that could still be found, and no task is open.'), ...patch };
    },
  });
}

/** On demand: an input of which every attempt is used up is taken apart, and a component is looked for. */
async function blockedTask(
  given: State,
  caps: Caps,
  around: Around,
): Promise<{ readonly state: State; readonly task?: Search | AskUser }> {
  let state = given;
  let calls = 0;
  for (const name of missingOf(given, given.schema.target)) {
    const task = taskFor(state, name, caps);
    if (task !== undefined) return { state, task };
    if (canBeFound(state, name, caps) || !mayBeDecomposed(state, name)) continue;
    if (calls++ >= DECOMPOSITIONS_PER_STAGE) break;
    const decomposition = await decompose(state, name, around);
    state = { ...state, dynamicDecompositions: { ...state.dynamicDecompositions, [name]: decomposition } };
    const part = firstTask(state, componentsOf(state, name), caps);
    if (part !== undefined) return { state, task: part };
  }
  return { state };
}
