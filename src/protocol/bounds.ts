/** Computes upper limits of what a plan does, asks and costs, for approvers. */

import type { Effect } from '../plan/index.ts';
import { counted, durationText, grouped, oneLine } from '../plan/text/index.ts';
import { EFFECTS } from './project.ts';
import { RESOURCE_WAIT_MS, type NodeExecutor, type PlanShape } from './plan-shape.ts';
import type { Spending } from './spending.ts';
import { maybe, type Of } from './shape.ts';

/** A number or, if there is no limit, the reason, such as `agent "search" has no budget of tokens`. */
export type Bound = number | string;

/** Upper limits of what a plan does. `leftOut` lists what the limits do not include. */
export interface PlanBounds {
  /** The number of tasks and set operators for each kind of effect. */
  readonly effects: Readonly<Partial<Record<Effect, number>>>;
  readonly agents: number;
  /** The sum of the declared costs: `cost` if every node runs once, `costOfAttempts` with all attempts. */
  readonly cost: Bound;
  readonly costOfAttempts: Bound;
  readonly questions: number;
  /** The approvals that the rules require; absent if the rules are unknown. */
  readonly approvals?: readonly MissingApproval[];
  /** The number of model calls in the rounds of the plan's agents. */
  readonly modelCalls: Bound;
  readonly tokens: Bound;
  readonly money: Bound;
  /** The longest chain of attempts in ms, with timeouts and pauses between attempts. */
  readonly timeMs: Bound;
  readonly leftOut: readonly string[];
}

type Shape = Pick<PlanShape, 'inputs' | 'after' | 'executors' | 'executorOf'>;

interface Rules {
  readonly budget?: Spending | undefined;
  readonly approvals?: readonly MissingApproval[] | undefined;
}

/**
 * Computes the limits of a plan's work.
 * @example boundsOfPlan(planShape, { budget: { tokens: 50_000 } }).tokens; // 50000
 */
export function boundsOfPlan(plan: Shape, { budget = {}, approvals }: Rules = {}): PlanBounds {
  const nodes = plan.executorOf.map((at) => plan.executors[at]!);
  const tasks = nodes.filter(({ kind }) => kind === 'task' || kind === 'wait');
  const agents = nodes.filter(({ kind }) => kind === 'agent');
  const ofSteps = agents.map((agent) => costOfSteps(agent, budget));
  const costOf = (times: (task: NodeExecutor) => number) =>
    sumOrReason([...ofSteps, ...tasks.map((task) => (task.cost ?? 0) * times(task))]);
  const budgetOf = (what: 'tokens' | 'money') =>
    budget[what] ?? sumOrReason(agents.map((agent) => agent.budget?.[what] ?? lacks(agent, `budget of ${what}`)));
  return {
    effects: Object.fromEntries(
      EFFECTS.flatMap((effect) => {
        const count = nodes.filter((node) => node.kind !== 'agent' && node.effect === effect).length;
        return count === 0 ? [] : [[effect, count]];
      }),
    ),
    agents: agents.length,
    cost: costOf(() => 1),
    // At most one attempt begins an at-most-once effect, so the effect costs once.
    costOfAttempts: costOf(({ effect, retry }) => (effect === 'at-most-once' ? 1 : retry.attempts)),
    questions: tasks.filter(({ kind }) => kind === 'wait').length,
    ...(approvals !== undefined && { approvals }),
    modelCalls: sumOrReason(
      agents.map((agent) => (agent.ownPolicy === true ? lacks(agent, 'bound in its policy') : (agent.rounds ?? 0))),
    ),
    tokens: budgetOf('tokens'),
    money: budgetOf('money'),
    timeMs: agents[0] === undefined ? longestPath(plan, nodes) : lacks(agents[0], 'timeout for all of its work'),
    leftOut: [
      ...LEFT_OUT,
      ...(agents.length > 0 ? LEFT_OUT_OF_AGENTS : []),
      'model calls of capabilities and of a report on a failure',
    ],
  };
}

const LEFT_OUT = ['replans', 'repeats by people', 'waits'];
/** Work of agents that the limits exclude: questions about each effect, and running calls when a budget is spent. */
const LEFT_OUT_OF_AGENTS = ['what agents ask people for', 'calls under way when a budget ends'];

function lacks({ name = '' }: NodeExecutor, what: string): string {
  return `agent ${JSON.stringify(name)} has no ${what}`;
}

/** Only a budget of steps limits the cost of an agent. Rounds do not, since one step may be a whole plan. */
function costOfSteps(agent: NodeExecutor, { steps }: Spending): Bound {
  const { stepCost = 0, budget } = agent;
  const most = budget?.steps ?? steps;
  return stepCost === 0 ? 0 : most === undefined ? lacks(agent, 'budget of steps') : most * stepCost;
}

/** Adds limits. If one is not a number, returns the first reason. */
function sumOrReason(bounds: readonly Bound[]): Bound {
  return bounds.reduce((sum, one) => (typeof sum === 'string' ? sum : typeof one === 'string' ? one : sum + one), 0);
}

/** Temporal's longest pause between attempts, as a multiple of the first pause. */
const MAX_PAUSE = 100;

function longestPath({ inputs, after = {} }: Shape, nodes: readonly NodeExecutor[]): number {
  const times = new Map<NodeExecutor, number>();
  const ends: number[] = [];
  // Nodes wait only for nodes with smaller indexes, so one pass is enough.
  for (const [node, executor] of nodes.entries()) {
    let begins = 0;
    for (const before of inputs[node] ?? []) begins = Math.max(begins, ends[before] ?? 0);
    for (const before of after[node] ?? []) begins = Math.max(begins, ends[before] ?? 0);
    const time = times.get(executor) ?? timeOf(executor);
    times.set(executor, time);
    ends.push(begins + time);
  }
  return ends.reduce((longest, end) => Math.max(longest, end), 0);
}

function timeOf({ startToCloseMs, resource, retry }: NodeExecutor): number {
  let sum = 0;
  for (let attempt = 1; attempt <= retry.attempts; attempt += 1) {
    const pause = Math.min(retry.initialMs * retry.factor ** (attempt - 1), retry.initialMs * MAX_PAUSE);
    sum += startToCloseMs + (resource === undefined ? 0 : RESOURCE_WAIT_MS) + (attempt < retry.attempts ? pause : 0);
  }
  return sum;
}

/**
 * Writes the limits as one line of text.
 * @example 'at most 2 reads, 1 at-most-once; cost 10; 25 min of attempts in a row; without replans, ...'
 */
export function boundsText(bounds: PlanBounds): string {
  const {
    effects,
    agents,
    cost,
    costOfAttempts,
    questions,
    approvals = [],
    modelCalls,
    tokens,
    money,
    timeMs,
  } = bounds;
  const nodes = Object.entries(effects).map(([effect, count]) =>
    effect === 'read' ? counted(count, 'read') : `${grouped(count)} ${effect}`,
  );
  const retried = costOfAttempts === cost ? '' : ` (${limitText(costOfAttempts, String)} if every attempt is paid)`;
  const limits = [
    ...(typeof tokens === 'number' && tokens > 0 ? [`${grouped(tokens)} tokens`] : []),
    ...(typeof money === 'number' && money > 0 ? [`money ${money}`] : []),
  ];
  const unlimited = typeof tokens === 'string' ? tokens.replace(/ of tokens$/, '') : 'no agent spends any';
  const parts = [
    [...nodes, ...(agents > 0 ? [counted(agents, 'agent')] : [])].join(', '),
    ...(cost === 0 ? [] : [`cost ${limitText(cost, String)}${retried}`]),
    ...(questions === 0 ? [] : [counted(questions, 'question')]),
    ...approvals.map(missingApprovalText),
    ...(modelCalls === 0 ? [] : [limitText(modelCalls, (calls) => counted(calls, 'model call'), 'model calls ')]),
    ...(limits.length > 0 || agents === 0 ? limits : [`tokens and money without bound: ${unlimited}`]),
    limitText(timeMs, (ms) => `${durationText(ms)} of attempts in a row`, 'time '),
  ].filter((part) => part !== '');
  return oneLine(`at most ${parts.join('; ')}; without ${bounds.leftOut.join(', ')}`);
}

function limitText(bound: Bound, words: (bound: number) => string, what = ''): string {
  return typeof bound === 'number' ? words(bound) : `${what}without bound: ${bound}`;
}

export const MISSING = {
  /** `count`: how many more people must approve. `of`: how many must approve in total. */
  count: 'count',
  of: 'count',
  /** The roles that count; absent if any role counts. */
  roles: maybe(['text']),
  person: 'true?',
  /** True if the approval must come from somebody who did not start or edit the plan or answer its planner. */
  notStarter: 'true?',
  /** For rules that count only certain people: who may approve, whether others may too, and which authors may not. */
  mayDecide: maybe(['text']),
  anybody: 'true?',
  authors: maybe(['text']),
} as const;

/** An approval that a rule still requires for a node. */
export interface MissingApproval extends Of<typeof MISSING> {}

const NAMED = 8;

/**
 * Describes a missing approval, such as `1 more approval in the role ops or safety, signed with a person's key`.
 * @example missingApprovalText({ count: 1, of: 2 }); // '1 more approval'
 */
export function missingApprovalText(missing: MissingApproval): string {
  const { count, of, roles, person, notStarter, authors } = missing;
  const more = count < of ? ' more' : '';
  const what = [
    `${count}${more} approval${count === 1 ? '' : 's'}${roles === undefined ? '' : ` in the role ${listPeople(roles)}`}`,
    ...(person === true ? ["signed with a person's key"] : []),
    ...(notStarter === true && authors === undefined ? ['by somebody whose words are not in the plan'] : []),
  ].join(', ');
  return what + peopleText(missing);
}

function peopleText({ count, mayDecide, anybody, authors }: MissingApproval): string {
  if (mayDecide === undefined) return '';
  const not = authors === undefined ? '' : `, not from ${listPeople(authors)}, whose words are in the plan`;
  const others = anybody === true ? ["anybody else whom an authority's key names"] : [];
  if (anybody === true || mayDecide.length >= count)
    return `, which may come from ${listPeople([...mayDecide, ...others])}${not}`;
  const few = mayDecide.length === 0 ? 'nobody' : `${listPeople(mayDecide)} alone`;
  return `, which may come from ${few} of those whom the project's keys name${not}: ${NEXT}`;
}

const NEXT =
  "add somebody else's key to identity.keys and sign with it, or reject the plan and have somebody else start it";

function listPeople(names: readonly string[]): string {
  const more = names.length - NAMED;
  return `${names.slice(0, NAMED).join(' or ')}${more > 0 ? ` or ${more} others` : ''}`;
}
