import type { WorkflowExecutionInfo } from '@temporalio/client';
import type { UnreachableRun } from '../client/index.ts';
import { buildOf, firstExecution, SERVER_STATUSES, withCurrent, type Session } from '../config/project/index.ts';
import {
  countWaiting,
  describe,
  given,
  isDigest,
  isRecord,
  PLAN_WORKFLOW,
  WAITS_FOR_ATTRIBUTE,
  type RunStatus,
} from '../protocol/index.ts';
import { groupsBy } from '../plan/index.ts';
import { quote } from '../plan/text/index.ts';
import { waitsIn } from '../protocol/status.ts';
import { wrongUsage } from './operation-error.ts';
import { flagField, limitField, operation, textField, type Z } from './operation.ts';

/** Maximum number of runs read from the server's list, sorted by close time. Of these, the newest are shown. */
const LOOKED_AT = 1000;
const AT_ONCE = 20;
const MAX_NAMED = 100;

export type ListedRun = Awaited<ReturnType<typeof recordOf>>;

export type ListedPlan = ReturnType<typeof plansOf>[number];

const plan = (z: Z) => ({
  plan: textField(z, 'only what is about this plan; its first 8 digits suffice'),
});

/**
 * Groups the runs by plan. A group has its goal (cut to 80 columns), its digest, and how many are in which state, of
 * the 1000 runs that the server lists first. Each run has its state, when it started, and how long it took. Of more
 * than 5 runs of a plan the others are counted, unless `--plan` names it.
 *
 * JSON:
 * `{"ok":true,"runs":[{"workflowId","status","goal"?,"digest"?,"phase"?,"paused"?,"waitingFor"?,"waits"?,"answered"?,"unattended"?:{"taskQueue","since"?},"reason"?,"outcome"?,"by"?,"waitsFor"?,"taskQueue","startTime","closeTime"?}],"plans":[{"digest"?,"goal"?,"count","states","waitingFor","workflowIds"}]}`.
 */
export const list = operation({
  command: {
    words: 'list',
    hides: ['lookedAt', 'unknown'],
    lines: ['runs'],
    example: 'list --open',
    from: { only: 'own-runs' },
  },
  host: { fields: ['limit', 'open'] },
  does: 'List the runs of the namespace, the newest first.',
  input: (z) =>
    z.object({
      ...limitField(z, 20),
      open: flagField(z, 'only those that have not ended'),
      only: z.array(z.string()).max(MAX_NAMED).readonly().optional().describe('only the runs of these ids'),
      ...plan(z),
      goal: textField(z, 'only those whose goal has this text'),
      state: textField(z, 'only those in this state, such as done or awaiting-approval'),
      person: textField(z, 'only those that this person ended, or that wait for this role'),
      since: textField(z, 'only those that started at this date or time (ISO 8601), or later'),
      until: textField(z, 'only those that started at this date or time, or earlier'),
    }),
  async run(plans, { limit, open, only, plan: wanted, ...filter }) {
    checkDigest(wanted);
    const [since, until] = [timeIn('since', filter.since), timeIn('until', filter.until, DAY_MS - 1)];
    if (only?.length === 0) return { runs: [], plans: [] };
    const session = await plans.session();
    const found: WorkflowExecutionInfo[] = [];
    const named = only === undefined ? '' : ` AND WorkflowId IN (${only.map((id) => JSON.stringify(id)).join(', ')})`;
    const state = open === true ? ' AND ExecutionStatus = "Running"' : '';
    const late = since === undefined ? '' : ` AND StartTime >= "${new Date(since).toISOString()}"`;
    // A run may have several histories. It is listed once, by its last history.
    const query = `WorkflowType = "${PLAN_WORKFLOW}" AND ExecutionStatus != "ContinuedAsNew"${state}${named}${late}`;
    const max = Math.max(limit, LOOKED_AT);
    for await (const info of session.client.workflow.list({ query, pageSize: Math.min(max, LOOKED_AT) })) {
      found.push(info);
      if (found.length > max) break;
    }
    const newest = newestOfEach(found);
    // The server does not know plans, so each run is asked for its plan.
    const isFiltered = wanted !== undefined || Object.values(filter).some((one) => one !== undefined);
    const all = await recordsOf(newest.slice(0, isFiltered ? max : limit), session);
    const runs = all.filter((run) => {
      const { digest = '', goal = '', startTime, by, waitsFor = [] } = run;
      const started = Date.parse(startTime);
      return (
        digest.startsWith(wanted?.toLowerCase() ?? '') &&
        goal.toLowerCase().includes(filter.goal?.toLowerCase() ?? '') &&
        (filter.state === undefined || runStateText(run) === filter.state) &&
        (filter.person === undefined || [by, ...waitsFor].includes(filter.person)) &&
        started >= (since ?? started) &&
        started <= (until ?? started)
      );
    });
    const unknown = wanted === undefined ? 0 : all.filter(({ digest }) => digest === undefined).length;
    return {
      runs: runs.slice(0, limit),
      plans: plansOf(runs.slice(0, limit)),
      ...(found.length > max && { lookedAt: max }),
      ...(unknown > 0 && { unknown }),
    };
  },
});

const DAY_MS = 86_400_000;

/** Parses a time. @param rest is added to a date without a time @throws OperationError USAGE */
function timeIn(name: string, text: string | undefined, rest = 0): number | undefined {
  if (text === undefined) return undefined;
  const at = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(at)) return /^[\d-]+$/.test(text) ? at + rest : at;
  throw wrongUsage(`${name}: expected a date or a time such as 2026-01-31T08:00:00Z, got ${quote(text)}`);
}

export function checkDigest(digest: unknown): void {
  if (digest === undefined || isDigest(digest)) return;
  const message = `a plan is named by its digest, or its first 8 hex digits or more; got ${describe(digest)}`;
  throw wrongUsage(message);
}

function newestOfEach(found: readonly WorkflowExecutionInfo[]): readonly WorkflowExecutionInfo[] {
  const newest = new Map<string, WorkflowExecutionInfo>();
  for (const one of found.toSorted((a, b) => b.startTime.getTime() - a.startTime.getTime())) {
    if (!newest.has(one.workflowId)) newest.set(one.workflowId, one);
  }
  return [...newest.values()];
}

async function recordsOf(infos: readonly WorkflowExecutionInfo[], session: Session) {
  const [{ statuses, unreachable }, facts, builds] = await Promise.all([
    session.plans.statuses(infos.filter(({ status }) => status.name !== 'COMPLETED')),
    eachAtOnce(infos, (info) => factsFromServer(info, session)),
    buildsOf(infos, session),
  ]);
  const silent = new Map(unreachable.map((one) => [one.workflowId, one]));
  return infos.map((info, at) => {
    const { workflowId: id } = info;
    return recordOf(info, facts[at]!, { now: statuses.get(id), silent: silent.get(id), build: builds[at] });
  });
}

async function buildsOf(infos: readonly WorkflowExecutionInfo[], { client, namespace }: Session) {
  const builds = infos.map((info) => buildOf(info));
  const deployments = builds.flatMap((build) => build?.deployment ?? []);
  const { currentBuilds } = await import('../client/reach/index.ts');
  const current = await currentBuilds(client, namespace, deployments).catch(() => new Map<string, string>());
  return builds.map((build) => build && withCurrent(build, current));
}

/** Facts about a run that need no worker: its goal, its start, and its result if it completed. */
async function factsFromServer({ workflowId, runId, status }: WorkflowExecutionInfo, { client }: Session) {
  const [first, ended] = await Promise.all([
    orNothing(firstExecution(client, workflowId, runId)),
    status.name === 'COMPLETED' ? orNothing(client.workflow.getHandle(workflowId, runId).result()) : undefined,
  ]);
  return { goal: first?.goal, ended, startTime: first?.startTime };
}

interface Found {
  readonly now: RunStatus | undefined;
  readonly silent: UnreachableRun | undefined;
  readonly build: Awaited<ReturnType<typeof buildsOf>>[number];
}

function recordOf(
  { workflowId, taskQueue, status, startTime, closeTime, searchAttributes }: WorkflowExecutionInfo,
  { goal, ended, startTime: began = startTime }: Awaited<ReturnType<typeof factsFromServer>>,
  { now, silent, build }: Found,
) {
  const how = SERVER_STATUSES[status.name];
  const isOpen = how === 'running';
  const result = isRecord(ended) ? ended : {};
  // If the run returned no outcome, the server knows how the run was closed.
  const outcome = isRecord(ended) ? result['outcome'] : how !== 'completed' && !isOpen && how;
  const digest = now?.digest ?? result['digest'];
  const by = now?.by ?? result['by'];
  const waitsFor = searchAttributes?.[WAITS_FOR_ATTRIBUTE] as readonly string[] | undefined;
  return given({
    workflowId,
    status: status.name.toLowerCase(),
    goal,
    digest: typeof digest === 'string' && digest !== '' ? digest : undefined,
    // Only a worker knows the phase.
    ...(isOpen &&
      now === undefined &&
      given({ answered: false as const, unattended: silent?.unattended, reason: silent?.reason })),
    ...(isOpen && now !== undefined && { phase: now.phase, waitingFor: countWaiting(now), ...atWork(now) }),
    build,
    outcome: typeof outcome === 'string' ? outcome : undefined,
    by: typeof by === 'string' ? by : undefined,
    waitsFor: isOpen ? waitsFor : undefined,
    taskQueue,
    startTime: (isOpen ? now?.startedAt : undefined) ?? began.toISOString(),
    closeTime: closeTime?.toISOString(),
  });
}

/** Details of an open run besides its phase: pauses, planning, decisions, agents, waits. */
function atWork(status: RunStatus) {
  const { paused, planning, loop, children, fallback } = status;
  return given({ paused, planning, loop, agents: children?.length, waits: waitsIn(status), fallback });
}

/** Groups runs by plan, with counts by outcome or phase. If a run's plan is unknown, the run is grouped by its goal. */
function plansOf(runs: readonly ListedRun[]) {
  const groups = groupsBy(runs, ({ digest, goal = '' }) => digest ?? `? ${goal}`);
  return [...groups.values()].map((alike) => {
    const { digest, goal } = alike[0]!;
    const states: Record<string, number> = {};
    for (const run of alike) {
      const state = runStateText(run);
      states[state] = (states[state] ?? 0) + 1;
    }
    return given({
      digest,
      goal,
      count: alike.length,
      states,
      waitingFor: alike.reduce((sum, { waitingFor = 0 }) => sum + waitingFor, 0),
      workflowIds: alike.map(({ workflowId }) => workflowId),
    });
  });
}

export function runStateText({ outcome, paused, phase, status }: ListedRun): string {
  return outcome ?? (paused === true && phase === 'running' ? 'paused' : (phase ?? status));
}

function orNothing<T>(request: Promise<T>): Promise<T | undefined> {
  return request.catch(() => undefined);
}

/** Calls `work` for all items, at most AT_ONCE at a time. Results are in the order of the items. */
export async function eachAtOnce<T, Result>(all: readonly T[], work: (one: T) => Promise<Result>): Promise<Result[]> {
  const { default: pLimit } = await import('p-limit');
  return pLimit(AT_ONCE).map(all, work);
}

/**
 * Lists what waits for a person, oldest first, each item with the command that answers it. Items that ask the same
 * about equal plans form a group. Includes items of agents, and names the runs that it cannot list
 * (docs/approval.md#the-inbox).
 *
 * JSON:
 * `{"ok":true,"items":[{"workflowId","id","kind","text","since","deadline","roles"?,"digest","revision","nodes","nodeCount","asks"?,"effects"?,"missing"?,"schema"?,"default"?,"suggestions"?,"send","command","taskQueue"}],"groups":[{"first","count","runs":[{"workflowId","revision"}]}],"more","unreachable":[{"workflowId","taskQueue","reason"}],"notAsked"}`;
 * jsonl is an item a line. `kind` is `approval`, `question`, `uncertain`, `failed`, `fault` or `budget`.
 */
export const inbox = operation({
  command: { words: 'inbox', lines: ['items'], example: 'inbox --role reviewer' },
  does: 'List what runs wait for: approvals, questions, failures.',
  input: (z) =>
    z.object({
      role: textField(z, 'only what waits for this role or for anybody'),
      ...plan(z),
      ...limitField(z),
    }),
  async run(plans, filter) {
    checkDigest(filter.plan);
    const session = await plans.session();
    return { ...(await session.plans.inbox(given(filter))) };
  },
});
