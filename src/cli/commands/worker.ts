/** The commands `planwright worker` and `dev`: execute nodes until somebody stops the program. */

import type { Project } from '../../config/project/index.ts';
import { IN_PROJECT, needProject, wrongUsage } from '../../operations/index.ts';
import { asTyped } from '../typed-command.ts';
import { byHand } from '../define-command.ts';
import { SERVER, WORKER, type ServerFlags, type WorkerFlags } from '../flags.ts';
import type { GlobalOptions } from '../global-flags.ts';
import { dashed } from '../options.ts';
import type { Output } from '../terminal/index.ts';

const place = [...IN_PROJECT, 'taskQueue'] as const;

/**
 * Executes nodes, and prints one line when it is ready. Needs a config, and a model if there are agents.
 *
 * Projects that share a Temporal server need a task queue each: a worker gets the plans of everybody on its queue. The
 * identity of a worker ends in ` planwright/` and a fingerprint of its capabilities, identity keys and approval rules.
 * A worker (or `dev`) does not start if one with another fingerprint has polled its queue within the last minute
 * (`TASK_QUEUE_IN_USE`). `--force` starts it in a rolling deployment, while the old version still polls.
 *
 * With `--deployment NAME --build ID` runs stay on the build that began their history (docs/operations.md#releases).
 * docs/operations.md has `--metrics`, `--health` and `--traces`.
 *
 * An uncaught error, for example in a timer of a capability, is printed on stderr with its stack and, if known, its
 * run, node and attempt; the worker continues. A worker in your own program (`createWorker`) needs a handler for this:
 * `process.on('uncaughtException', ...)`.
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
 * Starts a server and a worker. Uses a running server unless `--port`, `--ui-port`, `--headless` or `--db` is set.
 * `--server-only`, for your own program (docs/embedding.md), prints the address, and ends at once if a server already
 * runs.
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

function uiReads({ encryption }: Project, url: string): string {
  return encryption === undefined ? '' : `; it reads what is encrypted by \`${asTyped(`codec --ui ${url}`)}\``;
}

/** Options about a worker. They are listed here, since loading their zod schema would slow the command down. */
const OF_WORKER = [
  ...place,
  ...(['concurrentNodes', 'metrics', 'health', 'traces', 'deployment', 'build', 'force'] as const),
] as const satisfies readonly (keyof WorkerFlags)[];

async function serve(typed: ServerFlags & WorkerFlags & GlobalOptions, output: Output) {
  const idle = OF_WORKER.find((name) => typed[name] !== undefined);
  if (idle !== undefined) {
    const message = `--server-only starts no worker, and --${dashed(idle)} is about one: leave out either`;
    throw wrongUsage(message);
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
