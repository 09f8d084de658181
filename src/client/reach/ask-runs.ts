/** Queries many runs at once: first a few of each task queue, then the others if a worker there has answered. */

import type { Client } from '@temporalio/client';
import pLimit from 'p-limit';
import { ClientError, passingCode, type ClientAddress } from '../client-error.ts';
import type { FoundRun } from './find-runs.ts';
import { groupsBy } from '../../plan/index.ts';
import { unattendedText, type UnattendedQueue } from '../../protocol/index.ts';
import { silenceOf } from './pollers.ts';

/** A running run that did not answer, and the reason. */
export interface UnreachableRun {
  readonly workflowId: string;
  readonly taskQueue: string;
  readonly reason: string;
  readonly unattended?: UnattendedQueue;
}

export interface AskedRuns<Answer> {
  readonly answers: ReadonlyMap<string, Answer>;
  readonly unreachable: readonly UnreachableRun[];
}

interface Reach {
  readonly client: Client;
  readonly place: ClientAddress;
}

/** Number of runs per task queue that are queried before a worker there has answered. */
const PROBES = 3;
/** Maximum number of concurrent queries. Each costs a worker one workflow task. */
const AT_ONCE = 20;
const PROBES_AT_ONCE = 60;
/** A task queue counts as silent after this many ms plus 20 round trips to the server without an answer. */
const SILENT_MS = 1200;
const ROUND_TRIPS = 20;
const MOST_MS = 5000;

/** Queries many runs. @param ask queries one run @throws ClientError `no-server` */
export async function askRuns<Answer>(
  { client, place }: Reach,
  runs: readonly FoundRun[],
  ask: (run: FoundRun) => Promise<Answer>,
): Promise<AskedRuns<Answer>> {
  const answers = new Map<string, Answer>();
  const unreachable: UnreachableRun[] = [];
  const [slots, probes] = [pLimit(AT_ONCE), pLimit(PROBES_AT_ONCE)];

  /** Queries one run. @returns whether a worker runs, which any answer shows, even an error */
  const askOne = async (run: FoundRun): Promise<boolean> => {
    const { workflowId, taskQueue } = run;
    try {
      answers.set(workflowId, await ask(run));
      return true;
    } catch (error) {
      const code = passingCode(error);
      if (code === 'no-server') throw error;
      unreachable.push({ workflowId, taskQueue, reason: error instanceof Error ? error.message : String(error) });
      return code === undefined || (error instanceof ClientError && error.isStuck === true);
    }
  };

  const askQueue = async (taskQueue: string, its: readonly FoundRun[]): Promise<void> => {
    const name = (some: readonly FoundRun[], reason: string, more: Pick<UnreachableRun, 'unattended'> = {}) => {
      const told = new Set(unreachable.map(({ workflowId }) => workflowId));
      for (const { workflowId } of some)
        if (!answers.has(workflowId) && !told.has(workflowId))
          unreachable.push({ workflowId, taskQueue, reason, ...more });
    };
    const asked = performance.now();
    // If the server reports no pollers, the queries show whether a worker runs.
    const silence = await silenceOf({ client, namespace: place.namespace }, taskQueue).catch(() => undefined);
    const { nobody, busy = `no worker of task queue ${taskQueue} answers` } = silence ?? {};
    if (nobody !== undefined) return name(its, unattendedText(nobody), { unattended: nobody });
    const patience = Math.min(SILENT_MS + ROUND_TRIPS * (performance.now() - asked), MOST_MS);
    const first = its.slice(0, PROBES).map((run) => probes(() => askOne(run)));
    const others = its.slice(PROBES);
    if (!(await isAnswered(first, patience))) return name(its, busy);
    await Promise.all([...first, ...others.map((run) => slots(() => askOne(run)))]);
  };

  const queues = groupsBy(runs, ({ taskQueue }) => taskQueue);
  await Promise.all([...queues].map(([taskQueue, its]) => askQueue(taskQueue, its)));
  // Returns copies, so that a late answer does not change the result.
  return { answers: new Map(answers), unreachable: [...unreachable] };
}

/** Whether one of the queries is answered in time. @throws the first error */
async function isAnswered(asked: readonly Promise<boolean>[], ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => (timer = setTimeout(resolve, ms, false)));
  const all = Promise.all(asked).then((heard) => heard.includes(true));
  const first = asked.map((each) => each.then((heard) => heard || all));
  return Promise.race([late, all, ...first]).finally(() => clearTimeout(timer));
}
