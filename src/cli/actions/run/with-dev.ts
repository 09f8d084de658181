/** `planwright run --dev`: a server and a worker in this process, for one run. */

import { fingerprintOf } from '../../../worker/plugin/index.ts';
import { bareProject, openProject, type Project } from '../../../edge/project/index.ts';
import type { Output } from '../../terminal/index.ts';
import { asTyped } from '../../as-typed.ts';
import { CliError } from '../../cli-error.ts';
import { exitCode } from '../../exit-codes.ts';
import type { GlobalOptions } from '../../global-options.ts';
import { startUninterrupted } from '../dev.ts';
import { startWorker, type ReadyWorker } from '../worker.ts';
import type { RunOptions } from './run.ts';

type Typed = RunOptions & GlobalOptions;

/**
 * A server that runs already is used, and stays. The queue is the project's and that of its very capabilities, so that a
 * worker of another project, which may have polled a moment ago, is nobody to be asked about.
 */
export async function withDev(
  options: Typed,
  output: Output,
  run: (options: Typed, project: Project) => Promise<number>,
): Promise<number> {
  if (options.detach === true) throw new CliError('USAGE', BOTH);
  // Files need no config: every project can read and write records.
  const project = (await openProject(options)) ?? (await bareProject());
  const taskQueue = options.taskQueue ?? `${project.taskQueue}-${fingerprintOf(project.registry)}`;
  const server = await startUninterrupted(options, output);
  try {
    // As every other flag about the connection: one way to configure it.
    process.env['TEMPORAL_ADDRESS'] = server.address;
    const worker = await startWorker(project, { ...options, taskQueue }, output, server.address);
    output.note(`server ${server.address} (${server.how}), worker in this process on task queue ${taskQueue}\n`);
    const code = await untilStopped(worker, run({ ...options, taskQueue }, project));
    if (code === exitCode('waiting')) output.note(goesOn(taskQueue));
    return code;
  } catch (error) {
    if (error instanceof CliError && ['INTERRUPTED', 'TIMEOUT'].includes(error.code)) output.note(goesOn(taskQueue));
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
