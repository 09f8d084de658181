import type { ReadStep, Step } from '../../capabilities/policy/index.ts';
import type { JsonValue, PlanIssue } from '../../plan/index.ts';
import { cutCharacters } from '../../plan/text/index.ts';
import { isRecord, stepKey, type CompiledDocument, type StepDecision } from '../../protocol/index.ts';
import { writeResult } from '../../store/index.ts';
import { withKnownNames } from '../form/index.ts';
import { issueLines } from '../write-plan.ts';
import type { RoundContext } from './round-context.ts';
import type { LoopNotes, NotedRound } from './notes.ts';
import type { Tools } from './tools.ts';

export interface Dispatched {
  readonly decision: StepDecision;
  /** The record of each call for later rounds; empty at the end of the loop. */
  readonly calls: readonly NotedRound[];
  readonly line: string;
}

export interface DispatchedRound extends Pick<RoundContext, 'decider' | 'store' | 'compile'> {
  readonly round: number;
  /** The references of earlier steps' results, by key. A plan may name these keys. */
  readonly results: LoopNotes['results'];
  readonly ignored: number;
}

type Compiled = Extract<CompiledDocument, { ok: true }>;
type ToDo = Exclude<Step, { is: 'none' | 'finish' | 'reads' }>;

const SUMMARY = 500;
const MAX_TROUBLE = 2000;

export async function dispatch(step: Step, context: DispatchedRound): Promise<Dispatched> {
  const { round, store } = context;
  if (step.is === 'none') return roundWithoutStep(round, step.problem);
  if (step.is === 'finish') {
    const { answer, outcome } = step;
    const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
    const result = await writeResult(
      store,
      typeof answer === 'string' ? { kind: 'text', text } : { kind: 'value', value: answer },
    );
    const summary = cutCharacters(text, SUMMARY);
    const end = { is: 'finish' as const, result, summary, ...(outcome === 'aborted' && { outcome }) };
    return { decision: end, calls: [], line: `${outcome === 'aborted' ? 'aborts' : 'finishes'}: ${summary}` };
  }
  return step.is === 'reads' ? dispatchReads(step.calls, context) : dispatchStep(step, context);
}

async function dispatchStep(step: ToDo, context: DispatchedRound): Promise<Dispatched> {
  const { round, decider, results, ignored, compile } = context;
  const key = stepKey(round);
  const named = step.is === 'plan' ? 'a plan of its own' : `${step.is} ${step.name}`;
  const { objective } = step;
  const reply = await compile(stepDocument(step, context), results);
  if (!reply.ok) return roundWithoutStep(round, `${named} has these problems:\n${describeIssues(reply.issues)}`);
  const ends = step.is === 'capability' && step.ends === true;
  return {
    ...opened(reply, key, summaryOf([objective], ignored), ends),
    calls: [
      {
        round,
        call: callOf(step, decider.tools),
        said: cutCharacters(objective, SUMMARY),
        ...(ignored > 0 && { ignored }),
        ...(step.is === 'capability' && { does: step.name }),
        ...(step.is === 'capability' && step.expectedOutput !== undefined && { gives: step.expectedOutput }),
        ...warnedOf(reply),
        line: `- Step '${key}' (${named}): under way - ${objective}`,
      },
    ],
  };
}

/** Compiles a plan of independent reads. A read with problems is omitted, and the model sees its problems. */
async function dispatchReads(reads: readonly ReadStep[], context: DispatchedRound): Promise<Dispatched> {
  const { round, decider, results, ignored, compile } = context;
  const { goal } = decider.task;
  const calls = reads.map((read, at) => ({ ...read, key: stepKey(round, at + 1) }));
  const problems = new Map(calls.flatMap(({ key, problem }) => (problem === undefined ? [] : [[key, problem]])));
  let reply: Compiled | undefined;
  while (reply === undefined && problems.size < calls.length) {
    const open = calls.filter(({ key }) => !problems.has(key));
    const tried = await compile({ goal, steps: open.map((read) => stepOf(read.key, read)) }, results);
    if (tried.ok) reply = tried;
    else for (const [key, problem] of readProblems(open, tried.issues)) problems.set(key, problem);
  }
  const noted = calls.map((read): NotedRound => {
    const { key, name, objective } = read;
    const problem = problems.get(key);
    return {
      round,
      key,
      call: {
        name: decider.tools.nameOf('capability', name),
        arguments: JSON.stringify({ task: objective, ...read.arguments }),
      },
      said: cutCharacters(objective, SUMMARY),
      ...(ignored > 0 && { ignored }),
      does: name,
      ...(problem !== undefined && { observed: `Not carried out: ${problem}` }),
      line: `- Step '${key}' (capability ${name}): ${problem === undefined ? 'under way' : 'FAILED'} - ${objective}`,
    };
  });
  if (reply === undefined) {
    const problem = calls.map(({ key }) => `${key}: ${problems.get(key)}`).join('\n');
    return { ...roundWithoutStep(round, problem), calls: noted };
  }
  const words = calls.filter(({ key }) => !problems.has(key)).map(({ objective }) => objective);
  const first = noted.find(({ observed }) => observed === undefined);
  const warned = noted.map((one) => (one === first ? { ...one, ...warnedOf(reply) } : one));
  return { ...opened(reply, stepKey(round), summaryOf(words, ignored), false), calls: warned };
}

function readProblems(
  open: readonly { readonly key: string }[],
  issues: readonly PlanIssue[],
): readonly (readonly [string, string])[] {
  const own = open.flatMap(({ key }, at) => {
    const found = issues.filter(({ path }) => path.startsWith(`$.steps[${at}]`));
    return found.some(isError) ? [[key, describeIssues(found)] as const] : [];
  });
  return own.length > 0 ? own : open.map(({ key }) => [key, describeIssues(issues)]);
}

function isError({ severity }: PlanIssue): boolean {
  return severity === 'error';
}

function describeIssues(issues: readonly PlanIssue[]): string {
  return cutCharacters(issueLines(issues), MAX_TROUBLE);
}

function summaryOf(objectives: readonly string[], ignored: number): string {
  const more = ignored === 0 ? '' : ` (${ignored} more calls of the same reply are not carried out)`;
  const words = objectives.length === 1 ? objectives[0]! : `${objectives.length} reads: ${objectives.join('; ')}`;
  return cutCharacters(`${words}${more}`, SUMMARY);
}

function warnedOf(reply: Compiled): Pick<NotedRound, 'warned'> {
  const lines = 'planShape' in reply ? (reply.planShape.documentWarnings ?? []) : [];
  return lines.length === 0 ? {} : { warned: lines.map((line) => `Warning: ${line}`).join('\n') };
}

function opened(reply: Compiled, key: string, summary: string, ends: boolean): Omit<Dispatched, 'calls'> {
  const { ok: _, sameAs: __, ...sent } = reply;
  return {
    decision: { is: 'step', summary, ...(ends && { ends: true as const }), ...sent },
    line: `${key}: ${summary}`,
  };
}

function stepDocument(step: ToDo, { round, decider }: DispatchedRound): object {
  const { goal } = decider.task;
  const key = stepKey(round);
  switch (step.is) {
    case 'plan':
      return {
        goal: step.goal === '' ? goal : step.goal,
        ...submitted(withKnownNames(step.plan, decider.capabilities).plan),
      };
    case 'agent': {
      const { name: agent, objective: description, arguments: args } = step;
      return { goal, steps: [{ step_id: key, agent, action: 'task', description, arguments: args }] };
    }
    case 'capability':
      return { goal, steps: [stepOf(key, step)] };
  }
}

/** The plan in a decision: a flat list, as in a planner's reply, a list of steps, or the root of a tree. */
function submitted(plan: JsonValue): object {
  const { nodes, steps } = isRecord(plan) ? plan : {};
  return Array.isArray(nodes) ? { nodes } : Array.isArray(steps) ? { steps } : { plan };
}

function stepOf(key: string, { name, objective, arguments: parameters, inputs = [], expectedOutput }: OneStep): object {
  const expected = expectedOutput === undefined ? {} : { expected_output: expectedOutput };
  return { context_key: key, capability: name, task_objective: objective, parameters, inputs, ...expected };
}

type OneStep = ReadStep & { readonly expectedOutput?: string };

function callOf(step: ToDo, tools: Tools): { name: string; arguments: string } {
  const args = step.is === 'plan' ? planOf(step) : { task: step.objective, ...step.arguments };
  return { name: tools.nameOf(step.is, step.is === 'plan' ? undefined : step.name), arguments: JSON.stringify(args) };
}

function planOf({ plan, objective }: Extract<Step, { is: 'plan' }>): object {
  return isRecord(plan) && Array.isArray(plan['nodes'])
    ? { task: objective, nodes: plan['nodes'] }
    : { task: objective, plan };
}

export function roundWithoutStep(round: number, problem: string): Dispatched {
  const message = cutCharacters(problem, MAX_TROUBLE);
  return {
    decision: { is: 'none', trouble: { severity: 'REPLANNING', message } },
    line: `no step: ${message}`,
    calls: [
      {
        round,
        said: '',
        observed: `Nothing was carried out: ${message}`,
        line: `- Round ${round}: no step - ${message}`,
      },
    ],
  };
}
