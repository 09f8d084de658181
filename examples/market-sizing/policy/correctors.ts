/** The changes to a decision before it is carried out. Each looks at one thing, in the order of this file. */

import { taskFor } from './acquire.ts';
import type { Caps } from './caps.ts';
import {
  askAbout,
  finishFor,
  reflectOn,
  searchFor,
  subjectOf,
  type AskUser,
  type Decision,
  type Search,
} from './decision.ts';
import { decompose } from './decompose.ts';
import {
  canBeFound,
  componentsOf,
  fieldOf,
  isComposite,
  isReady,
  mayAsk,
  maySearch,
  missingOf,
  searchesOf,
} from './fields.ts';
import { calculationOf, calculationStands, openInputs } from './recipe.ts';
import { on, type MarketStage } from './stages.ts';
import type { State } from './state.ts';

/** A search or a question about a field of which nobody has said what it is made from. */
export function isForComposite(state: State, decision: Decision): decision is Search | AskUser {
  return isAcquisition(decision) && isComposite(state, subjectOf(decision));
}

/** A search or a question about a field as a whole that has components. */
export function isDirectOnDerived(state: State, decision: Decision): decision is Search | AskUser {
  return isAcquisition(decision) && componentsOf(state, subjectOf(decision)).length > 0;
}

/** A question about what pages may tell, before any page was looked for. */
export function isPrematureAsk(state: State, decision: Decision): decision is AskUser {
  if (decision.action !== 'ask_user') return false;
  const name = subjectOf(decision);
  return fieldOf(state, name)?.prefer === 'web' && searchesOf(state, name) === 0;
}

export function isOverSearchCap(state: State, decision: Decision, caps: Caps): decision is Search {
  return decision.action === 'search' && !maySearch(state, subjectOf(decision), caps);
}

export function isOverAskCap(state: State, decision: Decision, caps: Caps): decision is AskUser {
  return decision.action === 'ask_user' && !mayAsk(state, subjectOf(decision), caps);
}

/** A finish or a calculation that does not fit how the calculation stands. */
export function needsCalcAdjust({ llmFailed }: State, { action }: Decision): boolean {
  return !llmFailed && (action === 'finish' || action === 'calculate');
}

/** VentureScope: c_target_decompose. The only corrector that writes: what the target is made from. */
export const cTargetDecompose: MarketStage<'correct'> = on.correct({
  name: 'c_target_decompose',
  about: 'a composite target is taken apart',
  writes: ['dynamicDecompositions'],
  async run(state, decision, around) {
    if (!isForComposite(state, decision)) return undefined;
    const name = subjectOf(decision);
    const made = await decompose(state, name, around);
    return { state: { dynamicDecompositions: { ...state.dynamicDecompositions, [name]: made } } };
  },
});

/** VentureScope: c_redirect_derived. Without a component to look for, the field is worked out. */
export function cRedirectDerived(caps: Caps): MarketStage<'correct'> {
  return on.correct({
    name: 'c_redirect_derived',
    about: 'direct on a derived field: to a component',
    run(state, decision) {
      if (!isDirectOnDerived(state, decision)) return undefined;
      return { decision: onComponent(state, decision, caps) };
    },
  });
}

function onComponent(state: State, { action, reasoning, ...said }: Search | AskUser, caps: Caps): Decision {
  const name = said.component ?? said.field;
  const why = `${name} follows from its components. ${reasoning}`;
  const component = missingOf(state, name).find((one) => canBeFound(state, one, caps));
  if (component !== undefined) {
    // Words that are known beforehand fit the component better than words about the whole.
    const task = taskFor(state, component, caps);
    if (task?.action === action) return { ...task, reasoning: why };
    return action === 'search' ? searchFor(state, component, why) : askAbout(state, component, why);
  }
  if (isReady(state, name)) return { action: 'calculate', reasoning: why };
  return reflectOn(`Nothing that ${name} is made from can still be found.`, why);
}

/** VentureScope: c_redirect_web. */
export const cRedirectWeb: MarketStage<'correct'> = on.correct({
  name: 'c_redirect_web',
  about: 'premature question for a web field: search',
  run(state, decision) {
    if (!isPrematureAsk(state, decision)) return undefined;
    return { decision: searchFor(state, subjectOf(decision), `Pages come first. ${decision.reasoning}`) };
  },
});

/** VentureScope: c_search_cap. */
export function cSearchCap(caps: Caps): MarketStage<'correct'> {
  return on.correct({
    name: 'c_search_cap',
    about: 'over the searches of a field: ask, else reflect',
    run(state, decision) {
      if (!isOverSearchCap(state, decision, caps)) return undefined;
      const name = subjectOf(decision);
      const why = `${caps.searches} searches for ${name} are used up.`;
      return { decision: mayAsk(state, name, caps) ? askAbout(state, name, why) : reflectOn(why, decision.reasoning) };
    },
  });
}

/** VentureScope: c_ask_cap. */
export function cAskCap(caps: Caps): MarketStage<'correct'> {
  return on.correct({
    name: 'c_ask_cap',
    about: 'over the questions about a field: finish',
    run(state, decision) {
      if (!isOverAskCap(state, decision, caps)) return undefined;
      return { decision: finishFor(`The questions about ${subjectOf(decision)} are used up.`) };
    },
  });
}

/** VentureScope: c_calc_adjust. Also of what the selector decides; the calculator gets the recipe and nothing else. */
export function cCalcAdjust(caps: Caps): MarketStage<'correct'> {
  return on.correct({
    name: 'c_calc_adjust',
    about: 'finish: calculate what is pending, reflect on what is blocked',
    origins: ['select', 'model'],
    run(state, decision) {
      if (!needsCalcAdjust(state, decision)) return undefined;
      return { decision: adjusted(state, decision, caps) };
    },
  });
}

function adjusted(state: State, decision: Decision, caps: Caps): Decision {
  const calculation = calculationOf(state, decision.reasoning);
  if (calculation !== undefined) return calculation;
  const open = openInputs(state, caps);
  // To wait for a thing that cannot be found would be to go round in circles.
  if (decision.action === 'finish' && (calculationStands(state) === 'none' || open.length === 0)) return decision;
  const waits = open.length === 0 ? 'nothing that can still be found' : open.join(', ');
  return reflectOn(`The calculation waits for ${waits}.`, decision.reasoning);
}

function isAcquisition(decision: Decision): decision is Search | AskUser {
  return decision.action === 'search' || decision.action === 'ask_user';
}
