/** The default policy: the model decides each step. Results that the step requires are added to its inputs. */

import { definePolicy, stagesOf } from '../../capabilities/policy/index.ts';
import { listNames } from '../../plan/text/index.ts';
import type { LoopPolicy, ReadStep, RoundSurroundings, ToolDecision } from '../../capabilities/index.ts';

interface State {
  /** The capabilities that the model sees; absent if it sees all. */
  readonly active?: readonly string[];
}

/**
 * Maximum number of tools that are offered without a selection, since describing few tools takes fewer tokens than a
 * question about each.
 */
const MAX_TOOLS = 16;

const on = stagesOf<State, ToolDecision, RoundSurroundings>();

/** Selects capabilities (Osprey: extraction and selection). An agent's author has selected its capabilities. */
const select = on.enrich({
  name: 'select_capabilities',
  about: `of more than ${MAX_TOOLS} capabilities, once: which does the task take?`,
  writes: ['active'],
  run: async ({ active }, { task, capabilities, select: ask }) =>
    active !== undefined || task.task !== undefined || capabilities.length <= MAX_TOOLS
      ? undefined
      : { active: await ask() },
});

const decide = on.decide({
  name: 'decide',
  about: 'the model decides one step',
  run: async ({ active }, around) => ({ decision: await around.decide(active) }),
});

type Called = Pick<ReadStep, 'name' | 'inputs' | 'problem'>;

function rewritten(
  decision: ToolDecision,
  change: <Call extends Called>(call: Call) => Call,
): ToolDecision | undefined {
  if (decision.action === 'capability') {
    const changed = change(decision);
    return changed === decision ? undefined : changed;
  }
  if (decision.action !== 'reads') return undefined;
  const calls = decision.calls.map((call) => (call.problem === undefined ? change(call) : call));
  return calls.every((call, at) => call === decision.calls[at]) ? undefined : { ...decision, calls };
}

/** Adds to a step the latest result of each type that its capability requires (Osprey: auto-inputs). */
const autoInputs = on.correct({
  name: 'c_auto_inputs',
  about: 'gives a step the latest result of each type it requires',
  reads: true,
  run: (_, decision, { requiresOf, keysOf }) => {
    const named = rewritten(decision, (call) => {
      const { inputs = [] } = call;
      const found = requiresOf(call.name).flatMap((type) => {
        const keys = keysOf(type);
        const [latest] = keys.slice(-1);
        return latest === undefined || keys.some((key) => inputs.includes(key)) ? [] : [latest];
      });
      return found.length === 0 ? call : { ...call, inputs: [...inputs, ...found] };
    });
    return named && { decision: named };
  },
});

/** Stops a step if a required result is missing (Osprey: missing requirement), and offers what provides it. */
const missing = on.correct({
  name: 'c_missing_requirement',
  about: 'holds back a step whose requirement is missing',
  reads: true,
  writes: ['active'],
  run: ({ active }, decision, { requiresOf, keysOf, providersOf }) => {
    const offered = new Set(active);
    const next = rewritten(decision, (call) => {
      const lacking = requiresOf(call.name).find((type) => keysOf(type).length === 0);
      if (lacking === undefined) return call;
      const providers = providersOf(lacking);
      for (const name of providers) offered.add(name);
      const advice =
        providers.length === 0
          ? 'nothing here produces it: decide another step'
          : `produced by ${listNames(providers)}. Call ${providers[0]} first`;
      return { ...call, problem: `${call.name} requires ${lacking} (${advice}).` };
    });
    if (next === undefined) return undefined;
    return {
      ...(active !== undefined && { state: { active: [...offered] } }),
      decision:
        next.action === 'capability' ? { action: 'none', is: 'none', problem: (next as Called).problem ?? '' } : next,
    };
  },
});

export const modelPolicy: LoopPolicy = definePolicy<State, ToolDecision, RoundSurroundings>({
  name: 'model',
  initial: () => ({}),
  stages: [select, decide, autoInputs, missing],
  actions: {
    // As in Osprey, respond ends the turn. Clarify waits for its answer, and the loop continues.
    capability: {
      about: 'a step of its own; respond ends',
      dispatch: (step) => (step.name === 'respond' ? { ...step, ends: true } : step),
    },
    reads: { about: 'several reads as one step', dispatch: (step) => step },
    agent: { about: 'a task for an agent', dispatch: (step) => step },
    plan: { about: 'a plan as one step', dispatch: (step) => step },
    none: { about: 'no step: decide again', dispatch: (step) => step },
    finish: { about: 'the answer', ends: true, dispatch: (step) => step },
  },
});
