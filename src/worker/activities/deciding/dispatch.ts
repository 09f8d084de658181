/** The one place where a decision becomes something to do: a step, compiled as any plan is, or the end. */

import type { CapabilityRegistry } from '../../../builtin/index.ts';
import type { DecideRequest, StepDecision } from '../../../wire/contract/index.ts';
import type { LoopNotes, Round, Tools } from '../../../loop/index.ts';
import type { Step } from '../../../engine/policy/index.ts';
import { writeResult, type ResultStore } from '../../../wire/results/index.ts';
import { cutCharacters } from '../../../language/text/index.ts';
import { compileAndStore, limitsOfModel } from '../compile-plan.ts';
import { stepKey } from './observed.ts';

export interface Dispatched {
  readonly decision: StepDecision;
  /** The record of it for the next rounds; absent at the end. */
  readonly round?: Round;
  /** For people, in a line. */
  readonly line: string;
}

interface Desk {
  readonly request: DecideRequest;
  readonly goal: string;
  readonly notes: LoopNotes;
  readonly tools: Tools;
  readonly registry: CapabilityRegistry;
  readonly store: ResultStore;
  /** Further calls of the same reply. */
  readonly ignored: number;
}

const SUMMARY = 500;
const MAX_TROUBLE = 2000;

export async function dispatch(step: Step, desk: Desk): Promise<Dispatched> {
  const { request, store } = desk;
  const { round } = request;
  if (step.is === 'none') return nothingDone(round, step.problem, '');
  if (step.is === 'finish') {
    const { answer, outcome } = step;
    const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
    const result = await writeResult(
      store,
      typeof answer === 'string' ? { kind: 'text', text } : { kind: 'value', value: answer },
    );
    const summary = cutCharacters(text, SUMMARY);
    const end = { is: 'finish' as const, result, summary, ...(outcome === 'aborted' && { outcome }) };
    return { decision: end, line: `${outcome === 'aborted' ? 'aborts' : 'finishes'}: ${summary}` };
  }
  return compiled(step, desk);
}

async function compiled(
  step: Exclude<Step, { is: 'none' | 'finish' }>,
  { request: { round, options }, goal, notes, tools, registry, store, ignored }: Desk,
): Promise<Dispatched> {
  const key = stepKey(round);
  const named = step.is === 'plan' ? 'a plan of its own' : `${step.is} ${step.name}`;
  const { objective } = step;
  const { context, limits } = options;
  const reply = await compileAndStore(
    {
      source: { document: documentOf(step, goal, key) },
      limits: limitsOfModel(limits),
      ...(context !== undefined && { context }),
    },
    registry,
    store,
    undefined,
    { results: notes.results },
  );
  if (!reply.ok) {
    const told = reply.issues
      .filter(({ severity }) => severity === 'error')
      .map(({ path, message }) => `- ${path}: ${message}`);
    const problem = `Nothing was carried out. ${named} has these problems:\n${told.join('\n')}`;
    return nothingDone(round, cutCharacters(problem, MAX_TROUBLE), '');
  }
  const more =
    ignored === 0 ? '' : ` (${ignored} more calls of the same reply are not carried out: one step at a time)`;
  const summary = cutCharacters(`${objective}${more}`, SUMMARY);
  const { ok: _, sameAs: __, ...sent } = reply;
  return {
    decision: { is: 'step', summary, ...(step.is === 'capability' && step.ends === true && { ends: true }), ...sent },
    line: `${key}: ${summary}`,
    round: {
      round,
      call: callOf(step, tools),
      said: cutCharacters(objective, SUMMARY),
      ...(step.is === 'capability' && { does: step.name }),
      ...(step.is === 'capability' && step.expectedOutput !== undefined && { gives: step.expectedOutput }),
      line: `- Step '${key}' (${named}): under way - ${objective}`,
    },
  };
}

function documentOf(step: Exclude<Step, { is: 'none' | 'finish' }>, goal: string, key: string): object {
  switch (step.is) {
    case 'plan':
      return { goal: step.goal === '' ? goal : step.goal, plan: step.plan };
    case 'agent':
      return {
        goal,
        steps: [
          { step_id: key, agent: step.name, action: 'task', description: step.objective, arguments: step.arguments },
        ],
      };
    case 'capability': {
      const { name, objective, arguments: parameters, inputs = [], expectedOutput } = step;
      const expected = expectedOutput === undefined ? {} : { expected_output: expectedOutput };
      const one = { context_key: key, capability: name, task_objective: objective, parameters, inputs, ...expected };
      return { goal, steps: [one] };
    }
  }
}

/** The step as a call that the model might have made: the final decision, whoever made it. */
function callOf(step: Exclude<Step, { is: 'none' | 'finish' }>, tools: Tools): { name: string; arguments: string } {
  const args =
    step.is === 'plan'
      ? { goal: step.goal === '' ? step.objective : step.goal, plan: step.plan }
      : { task: step.objective, ...step.arguments };
  return { name: tools.nameOf(step.is, step.is === 'plan' ? undefined : step.name), arguments: JSON.stringify(args) };
}

/** A round that decided no step: the next one is told why. */
export function nothingDone(round: number, problem: string, said: string): Dispatched {
  return {
    decision: { is: 'none', trouble: { severity: 'REPLANNING', message: problem } },
    line: `no step: ${problem}`,
    round: {
      round,
      said,
      observed: `Nothing was carried out: ${problem}`,
      line: `- Round ${round}: no step - ${problem}`,
    },
  };
}
