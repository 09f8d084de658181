/** `planwright worker` and `dev`: carry out the nodes of runs, for as long as the terminal is open. */

import type { Project } from '../../config/project/index.ts';
import { IN_PROJECT, needProject, OperationError } from '../../operations/index.ts';
import { asTyped } from '../as-typed.ts';
import { byHand } from '../define-command.ts';
import { SERVER, WORKER, type PlaceTyped, type ServerFlags, type WorkerFlags } from '../flags.ts';
import type { GlobalOptions } from '../global-flags.ts';
import { dashed } from '../options.ts';
import type { Output } from '../terminal/index.ts';

const place = [...IN_PROJECT, 'taskQueue'] as const;

export const worker = byHand({
  command: { words: 'worker', example: 'worker --demo gene-strategies', place },
  does: 'Carries out the nodes of runs, until Ctrl-C.',
  input: (z) => z.object(WORKER(z)),
  async run(typed, { output, plans }) {
    const { openLog, startWorker, tellReady } = await import('../working/index.ts');
    const log = openLog(typed, output);
    const project = await needProject(plans, 'worker');
    const ready = await startWorker(project, typed, log);
    tellReady(ready, output);
    await ready.ended;
    return 'done';
  },
});

export const dev = byHand({
  command: { words: 'dev', example: 'dev --demo gene-strategies', place, from: { db: 'file' } },
  does: 'A Temporal dev server and a worker in one, until Ctrl-C.',
  input: (z) => z.object({ ...WORKER(z), ...SERVER(z) }),
  async run(typed, { output, plans }) {
    if (typed.serverOnly === true) return serve(typed, output);
    const project = await needProject(plans, 'dev');
    const { DEFAULT_PORT, openLog, startServer, startWorker, tellReady } = await import('../working/index.ts');
    const server = await startServer(typed, output);
    try {
      output.note(`Temporal server at ${server.address}, namespace ${server.namespace} (${server.how})`);
      if (server.uiUrl !== undefined) output.note(`Web UI at ${server.uiUrl}${uiReads(project, server.uiUrl)}`);
      const ready = await startWorker(project, typed, openLog(typed, output), server.address);
      tellReady(ready, output);
      const address = server.address.endsWith(`:${DEFAULT_PORT}`) ? '' : ` --address ${server.address}`;
      output.note(`next, in another terminal: ${asTyped(`run PLAN.json${project.flag}${address}`)}`);
      output.note(server.started ? 'Ctrl-C stops both.' : 'Ctrl-C stops the worker; the server was there before.');
      await ready.ended;
    } finally {
      await server.stop();
    }
    return 'done';
  },
});

/** It shows what is encrypted by a codec server alone. */
function uiReads({ encryption }: Project, url: string): string {
  return encryption === undefined ? '' : `; it reads what is encrypted by \`${asTyped(`codec --ui ${url}`)}\``;
}

/** Each flag of a worker has its row: zod, which knows them too, is not loaded for a command. */
const OF_WORKER: Readonly<Record<(typeof place)[number] | Exclude<keyof WorkerFlags, keyof PlaceTyped>, true>> = {
  ...{ config: true, demo: true, store: true, taskQueue: true, concurrentNodes: true, metrics: true, health: true },
  ...{ traces: true, deployment: true, build: true, force: true },
};

async function serve(typed: ServerFlags & WorkerFlags & GlobalOptions, output: Output) {
  const idle = (Object.keys(OF_WORKER) as (keyof typeof OF_WORKER)[]).find((name) => typed[name] !== undefined);
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
