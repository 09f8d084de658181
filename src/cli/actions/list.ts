/** `planwright list`: the runs of a namespace, the newest first. */

import { setTimeout as pause } from 'node:timers/promises';
import type { WorkflowExecutionInfo } from '@temporalio/client';
import { countWaiting } from '../../edge/client/index.ts';
import { connect, folderStoreDir, type Session } from '../../edge/project/index.ts';
import { isRecord, PLAN_WORKFLOW, type RunStatus } from '../../wire/contract/index.ts';
import type { Output } from '../terminal/index.ts';
import { clockText, cutCharacters, durationText, oneLine, visible } from '../../language/text/index.ts';
import { exitCode } from '../exit-codes.ts';
import type { GlobalOptions } from '../global-options.ts';

export interface ListOptions {
  readonly limit: number;
  readonly open?: true | undefined;
}

/** The server lists by when runs closed: so many are looked at for the newest. */
const LOOKED_AT = 1000;
/** A question to each of a thousand runs at once would be a load of its own. */
const RUNS_ASKED = 50;
const ANSWER_MS = 3000;
/** Pathfinder: a goal above 80 characters is cut to 77 and three dots. */
const GOAL = 80;
const INDENT = '  ';

export async function list(options: ListOptions & GlobalOptions, output: Output): Promise<number> {
  const { limit, open } = options;
  const session = await connect({ storeDir: await folderStoreDir() });
  try {
    const found: WorkflowExecutionInfo[] = [];
    const query = `WorkflowType = "${PLAN_WORKFLOW}"${open === true ? ' AND ExecutionStatus = "Running"' : ''}`;
    const most = Math.max(limit, LOOKED_AT);
    for await (const info of session.client.workflow.list({ query, pageSize: Math.min(most, LOOKED_AT) })) {
      found.push(info);
      if (found.length > most) break;
    }
    const isMore = found.length > most;
    const newest = found.toSorted((a, b) => b.startTime.getTime() - a.startTime.getTime()).slice(0, limit);
    const runs = await Promise.all(newest.map((info, place) => recordOf(info, place, session)));
    output.print(
      { ok: true, runs },
      () => textOf(runs, output.columns),
      () => runs,
    );
    if (isMore) output.note(`note: these are the newest of the ${most} runs that the server lists first`);
    return exitCode('done');
  } finally {
    await session.close();
  }
}

async function recordOf(info: WorkflowExecutionInfo, place: number, { plans, client }: Session) {
  const { workflowId, runId, taskQueue, status, startTime, closeTime } = info;
  // Only a worker knows the phase; a run that has none is listed without it.
  const isAsked = place < RUNS_ASKED;
  const handle = client.workflow.getHandle(workflowId, runId);
  const [open, goal, ended] = await Promise.all([
    isAsked && status.name === 'RUNNING' ? orNothing(answered(plans.run(workflowId).status())) : undefined,
    isAsked ? orNothing(handle.describe().then((one) => one.staticSummary())) : undefined,
    isAsked && status.name === 'COMPLETED' ? orNothing(handle.result()) : undefined,
  ]);
  const outcome: unknown = isRecord(ended) ? ended['outcome'] : undefined;
  return {
    workflowId,
    status: status.name.toLowerCase(),
    ...(goal !== undefined && { goal }),
    ...(isAsked && status.name === 'RUNNING' && open === undefined && { answered: false as const }),
    ...(open !== undefined && { phase: open.phase, waitingFor: countWaiting(open), ...atWork(open) }),
    ...(typeof outcome === 'string' && { outcome }),
    taskQueue,
    startTime: (open === undefined ? startTime : new Date(open.startedAt)).toISOString(),
    ...(closeTime !== undefined && { closeTime: closeTime.toISOString() }),
  };
}

type Listed = Awaited<ReturnType<typeof recordOf>>;

/** A worker that is there answers in milliseconds; a list does not wait for those that are not. */
async function answered<T>(asked: Promise<T>): Promise<T> {
  const over = new AbortController();
  const late = pause(ANSWER_MS, undefined, { signal: over.signal }).then(() => Promise.reject(new Error('no answer')));
  late.catch(() => {});
  return Promise.race([asked, late]).finally(() => over.abort());
}

/** What a server or a worker does not tell is left out. */
function orNothing<T>(told: Promise<T>): Promise<T | undefined> {
  return told.catch(() => undefined);
}

/** Planning, deciding, agents: what of a run its phase does not say. */
function atWork({ planning, loop, children, fallback }: RunStatus) {
  return {
    ...(planning !== undefined && { planning }),
    ...(loop !== undefined && { loop }),
    ...(children !== undefined && { agents: children.length }),
    ...(fallback !== undefined && { fallback }),
  };
}

/** How each run stands, and below that since when, what it waits for, and its goal. */
function textOf(runs: readonly Listed[], columns: number): string {
  if (runs.length === 0) return 'no runs';
  const now = new Date().toISOString();
  const ids = runs.map(({ workflowId }) => visible(workflowId));
  // One long id does not move the others' states away.
  const width = Math.max(...ids.map(({ length }) => (length <= columns / 2 ? length : 0)));
  return runs
    .flatMap((run, at) => {
      const { goal } = run;
      const [id = '', state] = [ids[at], visible(stateOf(run))];
      const head = `${id.padEnd(width)}${INDENT}${state}`;
      const heads = head.length <= columns ? [head] : [id, `${INDENT}${state}`];
      const lines = [timeText(run, now), ...(goal === undefined ? [] : [shortly(goal, columns)])];
      return [...heads, ...lines.map((line) => `${INDENT}${line}`)];
    })
    .join('\n');
}

/** `14:03:07Z, took 10.6 s`; of one that goes on how long ago it began, and whether it waits for a person */
function timeText({ startTime, closeTime, waitingFor = 0 }: Listed, now: string): string {
  const ms = Date.parse(closeTime ?? now) - Date.parse(startTime);
  const age = closeTime === undefined ? `${durationText(ms)} ago` : `took ${durationText(ms)}`;
  return `${clockText(startTime, now)}, ${age}${waitingFor === 0 ? '' : `, waits for a person: ${waitingFor}`}`;
}

function shortly(goal: string, columns: number): string {
  return cutCharacters(oneLine(goal), Math.min(GOAL, columns - INDENT.length));
}

/** `drafting (planning: write)`, `running (round 3, 2 agents)` */
function stateOf({ outcome, phase, status, planning, loop, agents, fallback, ...rest }: Listed): string {
  const more = [
    ...('answered' in rest ? ['no worker answers'] : []),
    ...(planning === undefined ? [] : [`planning: ${planning.stage}`]),
    ...(loop === undefined ? [] : [`round ${loop.round}`]),
    ...(agents === undefined ? [] : [`${agents} agent${agents === 1 ? '' : 's'}`]),
    ...(fallback === undefined ? [] : ['fallback plan']),
  ];
  return `${outcome ?? phase ?? status}${more.length === 0 ? '' : ` (${more.join(', ')})`}`;
}
