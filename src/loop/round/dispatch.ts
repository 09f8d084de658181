/** The one place where a decision becomes something to do: a step, compiled as any plan is, or the end. */

import type { Step } from '../../define/policy/index.ts';
import { cutCharacters } from '../../language/text/index.ts';
import type { CompiledDocument, StepDecision } from '../../wire/contract/index.ts';
import { writeResult, type ResultStore } from '../../wire/results/index.ts';
import type { NotedRound } from './notes.ts';
import { stepKey } from './observed.ts';
import type { Tools } from './tools.ts';

export interface Dispatched {
  readonly decision: StepDecision;
  /** The record of it for the next rounds; absent at the end. */
  readonly round?: NotedRound;
  /** For people, in a line. */
  readonly line: string;
}

/** The surroundings of a dispatch. */
export interface DispatchDesk {
  readonly round: number;
  readonly goal: string;
  readonly tools: Tools;
  readonly store: ResultStore;
  /** Further calls of the same reply. */
  readonly ignored: number;
  /** Compiles the plan of a step as any plan is. */
  compile(document: object): Promise<CompiledDocument>;
}

const SUMMARY = 500;
const MAX_TROUBLE = 2000;

export async function dispatch(step: Step, desk: DispatchDesk): Promise<Dispatched> {
  const { round, store } = desk;
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
  { round, goal, tools, ignored, compile }: DispatchDesk,
): Promise<Dispatched> {
  const key = stepKey(round);
  const named = step.is === 'plan' ? 'a plan of its own' : `${step.is} ${step.name}`;
  const { objective } = step;
  const reply = await compile(documentOf(step, goal, key));
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
