/** The command `planwright run --dev`: a server and a worker in this process for one run. */

import { bareProject, equipped } from '../../config/project/index.ts';
import { OperationError, wrongUsage, type ExitName } from '../../operations/index.ts';
import { DEFAULT_TASK_QUEUE } from '../../protocol/index.ts';
import { fingerprintOf } from '../../worker/index.ts';
import { asTyped } from '../typed-command.ts';
import { openLog, startServer, startWorker, type ReadyWorker } from '../working/index.ts';
import type { Shell } from '../define-command.ts';
import type { RunTyped } from '../flags.ts';

/**
 * Runs with a server and a worker of this process. A running server is used, and continues to run. A project without a
 * task queue of its own gets one named by a hash of its capabilities, so that no worker of another project polls it.
 */
export async function withDev(
  typed: RunTyped,
  shell: Shell,
  run: (there: Shell) => Promise<ExitName>,
): Promise<ExitName> {
  if (typed.detach === true) throw wrongUsage(BOTH);
  const { output } = shell;
  const project = await equipped((await shell.plans.project()) ?? (await bareProject()));
  const { taskQueue: named, registry } = project;
  const taskQueue = typed.taskQueue ?? (named === DEFAULT_TASK_QUEUE ? `${named}-${fingerprintOf(registry)}` : named);
  const server = await startServer(typed, output);
  try {
    // Sets the address for all clients of this process, as `--address` does.
    process.env['TEMPORAL_ADDRESS'] = server.address;
    // Logs errors only: stacks would fill the screen, and the run prints failed nodes itself.
    const log = openLog(typed.logFormat === 'json' ? typed : { logLevel: 'error', ...typed }, output);
    const worker = await startWorker(project, { ...typed, taskQueue }, log, server.address);
    output.note(`server ${server.address} (${server.how}), worker in this process on task queue ${taskQueue}\n`);
    const exit = await untilStopped(worker, shell.elsewhere({ project, taskQueue }, run));
    if (exit === 'waiting') output.note(goesOn(taskQueue));
    return exit;
  } catch (error) {
    if (error instanceof OperationError && ['INTERRUPTED', 'TIMEOUT'].includes(error.code))
      output.note(goesOn(taskQueue));
    throw error;
  } finally {
    await server.stop();
  }
}

async function untilStopped<T>(worker: ReadyWorker, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } finally {
    worker.stop();
    await worker.ended;
  }
}

function goesOn(taskQueue: string): string {
  return `its worker has stopped; \`${asTyped(`dev --task-queue ${taskQueue}`)}\` goes on with the run`;
}

const BOTH = '--dev is there for as long as the run is waited for, and --detach does not wait; leave one out';
