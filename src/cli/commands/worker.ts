/** `planwright worker`: carries out the nodes of runs. */

import { needProject } from '../../operations/index.ts';
import { defineCommand } from '../define-command.ts';
import { count, flag } from '../options.ts';
import { PROJECT, TASK_QUEUE } from './tables.ts';

/** The options of a worker, here and in `dev`. */
export const WORKER = {
  ...PROJECT,
  taskQueue: TASK_QUEUE,
  concurrentNodes: count('nodes carried out at once (default 100)'),
  force: flag('start although a worker with other capabilities polls the task queue'),
};

export const workerCommand = defineCommand({
  name: 'worker',
  description: 'carry out the nodes of runs, until Ctrl-C',
  examples: ['planwright worker --demo gene-strategies'],
  flags: WORKER,
  async run(typed, { output, plans }) {
    const project = await needProject(plans, 'worker');
    const { startWorker, tellReady } = await import('../working/index.ts');
    const worker = await startWorker(project, typed, output);
    tellReady(worker, output);
    await worker.ended;
    return 'done';
  },
});
