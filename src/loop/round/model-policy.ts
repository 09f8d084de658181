/**
 * The policy of a project that declares none: the model decides each step, and the inputs that a step requires are
 * found for it.
 */

import { definePolicy, stagesOf } from '../../define/policy/index.ts';
import { listNames } from '../../language/text/index.ts';
import type { LoopPolicy, RoundSurroundings, ToolDecision } from '../../define/index.ts';

interface State {
  /** The capabilities that the model is offered; absent where it is offered all. */
  readonly active?: readonly string[];
}

/** So many tools are offered as they are: fewer tokens than one question for each of them. */
const MOST_TOOLS = 16;

const on = stagesOf<State, ToolDecision, RoundSurroundings>();

/** Osprey: extraction and selection. For an agent its author has selected. */
const select = on.enrich({
  name: 'select_capabilities',
  about: `of more than ${MOST_TOOLS} capabilities, once: which does the task take?`,
  writes: ['active'],
  run: async ({ active }, { task, capabilities, select: ask }) =>
    active !== undefined || task.task !== undefined || capabilities.length <= MOST_TOOLS
      ? undefined
      : { active: await ask() },
});

const decide = on.decide({
  name: 'decide',
  about: 'the model decides one step',
  run: async ({ active }, around) => ({ decision: await around.decide(active) }),
});

/** Osprey: auto-inputs: of each type that a capability requires, the latest result. */
const autoInputs = on.correct({
  name: 'c_auto_inputs',
  about: 'gives a step the latest result of each type it requires',
  run: (_, decision, { requiresOf, keysOf }) => {
    if (decision.action !== 'capability') return undefined;
    const { inputs = [] } = decision;
    const found = requiresOf(decision.name).flatMap((type) => {
      const keys = keysOf(type);
      const [latest] = keys.slice(-1);
      return latest === undefined || keys.some((key) => inputs.includes(key)) ? [] : [latest];
    });
    return found.length === 0 ? undefined : { decision: { ...decision, inputs: [...inputs, ...found] } };
  },
});

/** Osprey: missing requirement: the step is not carried out, and the capability that provides it is named and offered. */
const missing = on.correct({
  name: 'c_missing_requirement',
  about: 'holds back a step whose requirement is missing',
  writes: ['active'],
  run: ({ active }, decision, { requiresOf, keysOf, providersOf }) => {
    if (decision.action !== 'capability') return undefined;
    const lacking = requiresOf(decision.name).find((type) => keysOf(type).length === 0);
    if (lacking === undefined) return undefined;
    const providers = providersOf(lacking);
    const advice =
      providers.length === 0
        ? 'nothing here produces it: decide another step'
        : `produced by ${listNames(providers)}. Call ${providers[0]} first`;
    const offered = active === undefined ? {} : { state: { active: [...new Set([...active, ...providers])] } };
    return {
      ...offered,
      decision: { action: 'none', is: 'none', problem: `${decision.name} requires ${lacking} (${advice}).` },
    };
  },
});

/** The policy of a loop where its project or its agent declares none. */
export const modelPolicy: LoopPolicy = definePolicy<State, ToolDecision, RoundSurroundings>({
  name: 'model',
  initial: () => ({}),
  stages: [select, decide, autoInputs, missing],
  actions: {
    // Osprey: respond ends the turn; clarify waits for its answer, and the loop goes on.
    capability: {
      about: 'a step of its own; respond ends',
      dispatch: (step) => (step.name === 'respond' ? { ...step, ends: true } : step),
    },
    agent: { about: 'a task for an agent', dispatch: (step) => step },
    plan: { about: 'a plan as one step', dispatch: (step) => step },
    none: { about: 'no step: decide again', dispatch: (step) => step },
    finish: { about: 'the answer', ends: true, dispatch: (step) => step },
  },
});
