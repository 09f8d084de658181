/** The runs of a namespace, the newest first, and what they wait for a person to say, the oldest first. */

import { setTimeout as pause } from 'node:timers/promises';
import type { WorkflowExecutionInfo } from '@temporalio/client';
import { buildOf, currentBuilds, SERVER_STATUSES, withCurrent, type Session } from '../edge/project/index.ts';
import { given, isRecord, PLAN_WORKFLOW } from '../wire/contract/index.ts';
import { operation } from './operation.ts';
import { standingOf, type Standing } from './seen-run.ts';

/** The server lists by when runs closed: so many are looked at for the newest. */
const LOOKED_AT = 1000;
/** A question to each of a thousand runs at once would be a load of its own. */
const RUNS_ASKED = 50;
const ANSWER_MS = 3000;

export type Listed = Awaited<ReturnType<typeof recordOf>>;

export const list = operation({
  name: 'list',
  does: 'Lists the runs of the namespace, the newest first, each with its goal, its state and what it waits for.',
  input: (z) =>
    z.object({
      limit: z.int().positive().default(20),
      open: z.boolean().optional().describe('only those that have not ended'),
    }),
  output: (z) => z.looseObject({ runs: z.array(z.looseObject({ workflowId: z.string(), status: z.string() })) }),
  async run(plans, { limit, open }) {
    const session = await plans.session();
    const found: WorkflowExecutionInfo[] = [];
    const query = `WorkflowType = "${PLAN_WORKFLOW}"${open === true ? ' AND ExecutionStatus = "Running"' : ''}`;
    const most = Math.max(limit, LOOKED_AT);
    for await (const info of session.client.workflow.list({ query, pageSize: Math.min(most, LOOKED_AT) })) {
      found.push(info);
      if (found.length > most) break;
    }
    const newest = found.toSorted((a, b) => b.startTime.getTime() - a.startTime.getTime()).slice(0, limit);
    const deployments = newest.flatMap((info) => buildOf(info)?.deployment ?? []);
    const current = currentBuilds(session.client, session.namespace, deployments).catch(
      () => new Map<string, string>(),
    );
    const runs = await Promise.all(newest.map((info, place) => recordOf(info, place, session, current)));
    return { runs, ...(found.length > most && { lookedAt: most }) };
  },
});

async function recordOf(
  info: WorkflowExecutionInfo,
  place: number,
  { plans, client }: Session,
  current: ReturnType<typeof currentBuilds>,
) {
  const { workflowId, runId, taskQueue, status, startTime, closeTime } = info;
  // Only a worker knows the phase; a run that has none is listed without it.
  const isAsked = place < RUNS_ASKED;
  const isOpen = isAsked && status.name === 'RUNNING';
  const handle = client.workflow.getHandle(workflowId, runId);
  const how = SERVER_STATUSES[status.name];
  const [open, goal, ended] = await Promise.all([
    isOpen ? inTime(orNothing(standingOf({ run: plans.run(workflowId) }))) : undefined,
    isAsked ? orNothing(handle.describe().then((one) => one.staticSummary())) : undefined,
    isAsked && how === 'completed' ? orNothing(handle.result()) : undefined,
  ]);
  const build = buildOf(info);
  // How a run was closed that did not say it itself the server knows.
  const outcome: unknown = isRecord(ended) ? ended['outcome'] : how !== 'completed' && how !== 'running' && how;
  return given({
    workflowId,
    status: status.name.toLowerCase(),
    goal,
    ...(isOpen && open === undefined && { answered: false as const }),
    ...(open && { phase: open.phase, waitingFor: open.waitingFor, ...atWork(open) }),
    ...(build && { build: withCurrent(build, await current) }),
    outcome: typeof outcome === 'string' ? outcome : undefined,
    taskQueue,
    startTime: open?.startedAt ?? startTime.toISOString(),
    closeTime: closeTime?.toISOString(),
  });
}

/** A worker that is there answers in milliseconds; a list does not wait for those that are not. */
function inTime<T>(asked: Promise<T | undefined>): Promise<T | undefined> {
  return Promise.race([asked, pause(ANSWER_MS, undefined, { ref: false })]);
}

/** An answer that a server or a worker does not give is left out. */
function orNothing<T>(told: Promise<T>): Promise<T | undefined> {
  return told.catch(() => undefined);
}

/** Planning, deciding, agents: what of a run its phase does not say. */
function atWork({ planning, loop, children, fallback }: Standing) {
  return given({ planning, loop, agents: children?.length, fallback });
}

export const inbox = operation({
  name: 'inbox',
  does: 'Lists what the running runs of the namespace wait for a person to say: approvals, questions, nodes to settle.',
  input: (z) =>
    z.object({
      role: z.string().optional().describe('only what waits for this role or for anybody'),
      limit: z.int().positive().default(100),
    }),
  output: (z) =>
    z.looseObject({
      items: z.array(z.looseObject({ workflowId: z.string(), id: z.string(), kind: z.string(), text: z.string() })),
      more: z.number(),
    }),
  async run(plans, asked) {
    const session = await plans.session();
    return { ...(await session.plans.inbox(given(asked))) };
  },
});
