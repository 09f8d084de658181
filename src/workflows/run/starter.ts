import type { RunState, PendingTask } from './state.ts';
import {
  given,
  isRecord,
  missingApprovalText,
  type AgentInput,
  type ApprovalRule,
  type ProjectPolicy,
  type PlanShape,
  type RunOptions,
  type RunSource,
  openPlanning,
} from '../../protocol/index.ts';
import { tighten } from '../approval/approval.ts';
import { includes, isCovered, missingIn } from '../approval/coverage.ts';
import { rulesOf, unsatisfiable } from '../approval/rules.ts';
import type { TaskEnd } from './task-traits.ts';
import { subjectOf, note, openRun } from './run.ts';
import type { Run } from './in-memory.ts';
import type { Verify } from './talk/authenticate.ts';
import { type OpenChoices, parsePlanInput } from '../../protocol/read-input.ts';
import { parseAgentInput } from '../../protocol/agent-input.ts';
import { openLoop } from '../loop/loop.ts';

const REPORTS_PROJECT: readonly PendingTask['kind'][] = ['draft', 'plan', 'decide'];

/**
 * Records the project that an activity reports. Only the first report counts, since a later worker with fewer rules
 * must not loosen them.
 * @returns whether the run may continue; otherwise its start was invalid and the run has failed
 */
export function learnProject({ state }: Run, { kind }: PendingTask, ended: TaskEnd, verify: Verify): boolean {
  const { projectFacts, approval } = state;
  const project = ended.ok && isRecord(ended.value) ? ended.value['project'] : undefined;
  if (
    projectFacts === 'project' ||
    approval.phase === 'closed' ||
    !REPORTS_PROJECT.includes(kind) ||
    !isRecord(project)
  )
    return true;
  Object.assign(state, { project: project as unknown as ProjectPolicy, projectFacts: 'project' });
  const problem = startProblem(state, verify) ?? rulesProblem(state);
  if (problem !== undefined)
    state.failure ??= { type: 'InvalidInput', message: problem, details: [{ problems: [problem] }] };
  return problem === undefined;
}

function startProblem(state: RunState, verify: Verify): string | undefined {
  const { start, project } = state;
  if (start === undefined) return undefined;
  if (project.keys === undefined)
    return '$.token: the start is signed, and this worker has no identity keys to verify it; start it unsigned, or add the keys to its config';
  const { token, run: workflowId, at } = start.signed;
  const verified = verify(token, { keys: project.keys, workflowId, startedAt: at, at });
  if (!verified.ok) return `$.token: ${verified.reason}`;
  state.start = { ...start, by: verified.by };
  return undefined;
}

/**
 * Handles a node that did not begin because its worker's project has stricter rules. The run adds the rules, and the
 * node waits for the missing approvals. If none is missing, another try would not help, so it fails.
 */
export function deferForRules(run: Run, task: PendingTask, ended: TaskEnd, at: string): TaskEnd {
  const { state, execution } = run;
  if (ended.ok || ended.rules === undefined || ended.end.status !== 'failed') return ended;
  if (task.kind !== 'node' || execution === undefined || state.approval.phase === 'closed') return ended;
  const { message } = ended.end;
  const problem = addRules(run, ended.rules, execution.planShape, at);
  if (problem !== undefined) return { ...ended, end: { ...ended.end, message: `${message}; ${problem}` } };
  const { subject, consents } = state.approval;
  const isMissing = subject !== undefined && !isCovered(task.node, subject, consents);
  // The approval came after the node was scheduled, so the worker did not see it.
  const startedAt = execution.scheduledAt[task.node] ?? Number.POSITIVE_INFINITY;
  const isLate = consents.some((consent) => includes(consent.nodes, task.node) && Date.parse(consent.at) > startedAt);
  const deferral = { deferred: 'run', reason: message, ...given({ usage: ended.usage }) };
  return isMissing || isLate ? { ok: true, value: deferral } : ended;
}

/** Maximum number of project rules that a run stores. If a worker has more, its node fails as `NotApproved`. */
const MAX_RULES = 200;

/**
 * Adds rules and never removes any: a worker with an older config must not loosen what another worker requires.
 * @returns why nobody could satisfy the rules; undefined if somebody could
 */
function addRules(run: Run, rules: readonly ApprovalRule[], planShape: PlanShape, at: string): string | undefined {
  const { state } = run;
  const rulesById = new Map((state.project.rules ?? []).map((rule) => [identityOf(rule), rule]));
  const before = rulesById.size;
  for (const rule of rules) rulesById.set(identityOf(rule), rule);
  if (rulesById.size === before) return undefined;
  if (rulesById.size > MAX_RULES)
    return `a run takes ${MAX_RULES} rules of its project, and there are ${rulesById.size}`;
  const project = { ...state.project, rules: [...rulesById.values()] };
  const problem = rulesProblem({ ...state, project });
  if (problem !== undefined) return problem;
  state.project = project;
  state.approval = tighten(state.approval, subjectOf(state, planShape), at);
  const missing = missingIn(state.approval, state.approval.uncovered, project.keys).map(missingApprovalText);
  const waits = missing.length === 0 ? 'all approvals are there' : `the plan waits for ${missing.join('; ')}`;
  note(run, at, 'held', `the rules of the project ask for more than before: ${waits}`);
  return undefined;
}

function identityOf(rule: ApprovalRule): string {
  return JSON.stringify(Object.entries(rule).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function rulesProblem({ options, project: { rules = [], keys }, start }: RunState): string | undefined {
  const all: readonly ApprovalRule[] = [...rulesOf(options.approval), ...rules];
  const problem = unsatisfiable(all, keys);
  if (problem !== undefined) return `$.options.approval: ${problem} in the config of this worker`;
  return start?.by === undefined && all.some(({ notStarter }) => notStarter === true) ? UNSIGNED : undefined;
}

const UNSIGNED =
  '$: a rule does not count the starter (notStarter: true), so that the start must be signed; start it with ' +
  '`planwright run FILE --key KEY`, or as docs/identity.md says';

/** The signed start of an agent's run is that of its root run, which the server must confirm. */
export function startOf({ start }: AgentInput, root: string | undefined): RunState['start'] {
  return start === undefined || start.run !== root ? undefined : { signed: start };
}

export interface RunOrigin {
  readonly firstRunId: string;
  readonly isChild?: boolean;
  readonly root?: string;
}

/**
 * @param startedAt when the first history began (ISO 8601)
 * @returns a failed run if the input is invalid
 */
export type Open = (workflowId: string, startedAt: string, input: unknown, origin: RunOrigin) => Run;

export const openPlanRun: Open = (workflowId, startedAt, input, { firstRunId }) => {
  const run = openRun(workflowId, startedAt);
  run.state.firstRunId = firstRunId;
  const parsed = parsePlanInput(input);
  if (!parsed.ok) {
    fail(run, parsed.problems);
    return run;
  }
  if (parsed.token !== undefined) {
    run.state.start = { signed: { token: parsed.token, run: workflowId, at: startedAt } };
  }
  openSource(run, parsed.source, parsed.options, parsed.unsaid);
  return run;
};

export const openTaskRun: Open = (workflowId, startedAt, input, { firstRunId, isChild, root }) => {
  const run = openRun(workflowId, startedAt);
  const parsed = parseAgentInput(input);
  // The id in the input may be wrong, but no effect begins unless the server confirms the id.
  run.state.firstRunId = isChild === true && parsed.ok ? parsed.input.firstRunId : firstRunId;
  if (parsed.ok) startTask(run, parsed.input, root);
  else fail(run, parsed.problems);
  return run;
};

const PROBLEMS_NAMED = 5;

function fail({ state }: Run, problems: readonly string[]): void {
  const more = problems.length - PROBLEMS_NAMED;
  const named = problems.slice(0, PROBLEMS_NAMED).join('; ');
  const message = more > 0 ? `${named}; and ${more} more lines of problems in the details` : named;
  state.failure = { type: 'InvalidInput', message, details: [{ problems }] };
}

function openSource({ state }: Run, source: RunSource, options: RunOptions, unsaid: OpenChoices | undefined): void {
  state.options = options;
  if (!('goal' in source)) {
    state.source = source;
    return;
  }
  if (options.mode === 'reactive') {
    state.loop = openLoop({ goal: source.goal }, options.maxRounds);
    return;
  }
  state.planning = { ...openPlanning(source.goal, options.mode), ...given({ unsaid }) };
  state.plannings = 1;
}

function startTask({ state }: Run, input: AgentInput, root: string | undefined): void {
  const { task, options, attempts, key, editors = [], editTokens = [], untrusted } = input;
  state.parent = { key, out: {} };
  Object.assign(state, { editors, editTokens, ...given({ start: startOf(input, root), untrusted }) });
  state.options = options;
  state.loop = openLoop(task, options.maxRounds, attempts);
}
