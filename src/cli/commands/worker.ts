/** `planwright worker` and `dev`: run nodes until the program is stopped. */

import type { Project } from '../../config/project/index.ts';
import { IN_PROJECT, needProject, OperationError } from '../../operations/index.ts';
import { asTyped } from '../typed-command.ts';
import { byHand } from '../define-command.ts';
import { SERVER, WORKER, type ServerFlags, type WorkerFlags } from '../flags.ts';
import type { GlobalOptions } from '../global-flags.ts';
import { dashed } from '../options.ts';
import type { Output } from '../terminal/index.ts';

const place = [...IN_PROJECT, 'taskQueue'] as const;

/**
 * Prints one line when it is ready, with how many capabilities and agents there are and the name of the model, never
 * its key. Agents without a model are refused, and a folder without a config.
 *
 * Projects that share a Temporal server need a task queue each: every worker of a queue is given the plans of all. A
 * worker's identity on the server ends in ` planwright/` and a fingerprint of its capabilities (names, versions,
 * effects), identity keys and approval rules. A worker (or `dev`) refuses to start where one with another fingerprint
 * has polled its queue within the last minute (`TASK_QUEUE_IN_USE`). One whose process on this host has ended does not
 * count. `--force` starts it all the same: for a rolling deployment, in which the old version still polls.
 *
 * With `--deployment NAME --build ID` runs stay on the build that began their history (docs/operations.md#releases). A
 * build that another program has been is refused (`BUILD_TAKEN`); one that is not the current one is told, with the
 * command that makes it so. `--metrics` and `--health` take a port of this machine, or an IP address with one, which
 * opens them to others (docs/operations.md#metrics-and-alerts). `--traces`: docs/operations.md#traces
 *
 * An error that nobody catches (a capability's timer that throws, a promise that it does not await) does not end this
 * worker, nor that of `dev`: it is told on stderr with its stack, and with node, run and attempt where Node.js knows
 * them. The attempt itself goes on, to its return or its time-out. A worker in your own program (`createWorker`) has
 * no such handler: install one with `process.on('uncaughtException', ...)`.
 */
export const worker = byHand({
  command: { words: 'worker', example: 'worker --demo gene-strategies', place },
  does: 'Run the nodes of runs, until Ctrl-C.',
  input: (z) => z.object(WORKER(z)),
  async run(typed, { output, plans }) {
    const { openLog, startWorker, printReady } = await import('../working/index.ts');
    const log = openLog(typed, output);
    const project = await needProject(plans, 'worker');
    const ready = await startWorker(project, typed, log);
    printReady(ready, output);
    await ready.ended;
    return 'done';
  },
});

/**
 * Uses a server that already runs unless `--port`, `--ui-port` (0 takes any free port), `--headless` or `--db` is
 * given. `--server-only`, for a program of your own (docs/embedding.md), prints the address; where a server already
 * runs it ends.
 */
export const dev = byHand({
  command: { words: 'dev', example: 'dev --demo gene-strategies', place, from: { db: 'file' } },
  does: 'Start a Temporal dev server and a worker, until Ctrl-C.',
  input: (z) => z.object({ ...WORKER(z), ...SERVER(z) }),
  async run(typed, { output, plans }) {
    if (typed.serverOnly === true) return serve(typed, output);
    const project = await needProject(plans, 'dev');
    const { SERVER_PORT, openLog, startServer, startWorker, printReady } = await import('../working/index.ts');
    const server = await startServer(typed, output);
    try {
      output.note(`Temporal server at ${server.address}, namespace ${server.namespace} (${server.how})`);
      if (server.uiUrl !== undefined) output.note(`Web UI at ${server.uiUrl}${uiReads(project, server.uiUrl)}`);
      const ready = await startWorker(project, typed, openLog(typed, output), server.address);
      printReady(ready, output);
      const address = server.address.endsWith(`:${SERVER_PORT}`) ? '' : ` --address ${server.address}`;
      output.note(`next, in another terminal: ${asTyped(`run PLAN.json${project.flag}${address}`)}`);
      output.note(server.started ? 'Ctrl-C stops both.' : 'Ctrl-C stops the worker; the server was there before.');
      await ready.ended;
    } finally {
      await server.stop();
    }
    return 'done';
  },
});

/** The Web UI shows encrypted payloads only through a codec server. */
function uiReads({ encryption }: Project, url: string): string {
  return encryption === undefined ? '' : `; it reads what is encrypted by \`${asTyped(`codec --ui ${url}`)}\``;
}

/** A copy of the keys, since loading zod would slow the command down. */
const OF_WORKER = [
  ...place,
  ...(['concurrentNodes', 'metrics', 'health', 'traces', 'deployment', 'build', 'force'] as const),
] as const satisfies readonly (keyof WorkerFlags)[];

async function serve(typed: ServerFlags & WorkerFlags & GlobalOptions, output: Output) {
  const idle = OF_WORKER.find((name) => typed[name] !== undefined);
  if (idle !== undefined) {
    const message = `--server-only starts no worker, and --${dashed(idle)} is about one: leave out either`;
    throw new OperationError('USAGE', message);
  }
  const { startServer, untilStopped } = await import('../working/index.ts');
  const server = await startServer(typed, output);
  const { address, namespace, how, uiUrl, pid } = server;
  try {
    output.print(
      { ok: true, ready: { address, namespace, pid } },
      () => `server ready at ${address}, namespace ${namespace} (${how})`,
    );
    if (uiUrl !== undefined) output.note(`Web UI at ${uiUrl}`);
    output.note(server.started ? 'Ctrl-C stops it.' : 'It was there before, and stays.');
    if (server.started) await untilStopped(server);
  } finally {
    await server.stop();
  }
  return 'done' as const;
}
