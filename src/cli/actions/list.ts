/** `planwright list`: the runs of a namespace. */

import type { WorkflowExecutionInfo } from '@temporalio/client';
import { countWaiting } from '../../client/index.ts';
import { connect, folderStoreDir, type Session } from '../../project/index.ts';
import { PLAN_WORKFLOW, type RunStatus } from '../../contract/index.ts';
import type { Output } from '../../terminal/index.ts';
import { exitCode } from '../exit-codes.ts';
import type { GlobalOptions } from '../global-options.ts';
import { table } from '../showing/index.ts';

export interface ListOptions {
  readonly limit: number;
  readonly open?: true | undefined;
}

export async function list(options: ListOptions & GlobalOptions, output: Output): Promise<number> {
  const { limit, open } = options;
  const session = await connect({ storeDir: await folderStoreDir() });
  try {
    const found: WorkflowExecutionInfo[] = [];
    const query = `WorkflowType = "${PLAN_WORKFLOW}"${open === true ? ' AND ExecutionStatus = "Running"' : ''}`;
    for await (const info of session.client.workflow.list({ query, pageSize: Math.min(limit, 100) })) {
      found.push(info);
      if (found.length >= limit) break;
    }
    const runs = await Promise.all(found.map((info, place) => recordOf(info, place, session)));
    output.print(
      { ok: true, runs },
      () => textOf(runs),
      () => runs,
    );
    return exitCode('done');
  } finally {
    await session.close();
  }
}

/** A question to each of a thousand runs at once would be a load of its own. */
const PHASES_ASKED = 50;

async function recordOf(info: WorkflowExecutionInfo, place: number, { plans }: Session) {
  const { workflowId, taskQueue, status, startTime, closeTime } = info;
  // Only a worker knows the phase; a run that has none is listed without it.
  const asked = status.name === 'RUNNING' && place < PHASES_ASKED;
  const open = asked
    ? await plans
        .run(workflowId)
        .status()
        .catch(() => undefined)
    : undefined;
  return {
    workflowId,
    status: status.name.toLowerCase(),
    ...(open !== undefined && { phase: open.phase, waitingFor: countWaiting(open), ...atWork(open) }),
    taskQueue,
    startTime: startTime.toISOString(),
    ...(closeTime !== undefined && { closeTime: closeTime.toISOString() }),
  };
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

function textOf(runs: readonly Awaited<ReturnType<typeof recordOf>>[]): string {
  if (runs.length === 0) return 'no runs';
  const rows = runs.map((run) => [run.workflowId, stateOf(run), run.startTime, run.taskQueue]);
  return table([['run', 'state', 'started', 'task queue'], ...rows]);
}

/** `drafting (planning: write)`, `running (round 3, 2 agents)` */
function stateOf(run: Awaited<ReturnType<typeof recordOf>>): string {
  const { planning, loop, agents, fallback } = run;
  const more = [
    ...(planning === undefined ? [] : [`planning: ${planning.stage}`]),
    ...(loop === undefined ? [] : [`round ${loop.round}`]),
    ...(agents === undefined ? [] : [`${agents} agent${agents === 1 ? '' : 's'}`]),
    ...(fallback === undefined ? [] : ['fallback plan']),
  ];
  return `${run.phase ?? run.status}${more.length === 0 ? '' : ` (${more.join(', ')})`}`;
}
