/** A worker in a process of its own, for tests that kill it. */

import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { inject, onTestFinished } from 'vitest';
import type { NodeEvent } from '../../src/activities/index.ts';
import type { HistoryBudget } from '../../src/protocol/index.ts';
import { processOf } from './processes.ts';

export interface WorkerProcess {
  readonly process: ChildProcess;
  readonly events: NodeEvent[];
  until(reached: (events: readonly NodeEvent[]) => boolean): Promise<void>;
}

/** An event of a node, or a moment beside the write of a receipt. */
export type DiesAt = NodeEvent['what'] | 'before-receipt' | 'after-receipt';

/**
 * @param budget how long a history may get; default the product's own
 * @param model address of a model server
 * @param diesAt when it ends its own process with a kill
 */
export async function startWorker(
  folder: string,
  taskQueue: string,
  budget?: HistoryBudget,
  model?: string,
  diesAt?: DiesAt,
): Promise<WorkerProcess> {
  const child = spawn(process.execPath, [processOf('support/worker-process')], {
    env: {
      ...process.env,
      ADDRESS: inject('address'),
      TASK_QUEUE: taskQueue,
      FOLDER: folder,
      BUNDLE: inject('bundlePath'),
      ...(budget !== undefined && { BUDGET: JSON.stringify(budget) }),
      ...(model !== undefined && { MODEL: model }),
      ...(diesAt !== undefined && { DIES_AT: diesAt }),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const events: NodeEvent[] = [];
  const lines = createInterface({ input: child.stdout });
  const heard: (() => void)[] = [];
  const ready = new Promise<void>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the worker ended with ${code} before it was ready`)));
    lines.on('line', (line) => {
      if (line === 'ready') resolve();
      // The SDK's native part writes its warnings here too.
      else if (line.startsWith('{')) events.push(JSON.parse(line) as NodeEvent);
      heard.forEach((tell) => tell());
    });
  });
  await ready;
  return {
    process: child,
    events,
    until: (reached) =>
      new Promise((resolve) => {
        const look = () => reached(events) && resolve();
        heard.push(look);
        look();
      }),
  };
}
