/** `planwright worker` and `dev`: carry out the nodes of runs, for as long as the terminal is open. */

import type { Project } from '../../config/project/index.ts';
import { needProject, OperationError } from '../../operations/index.ts';
import { asTyped } from '../as-typed.ts';
import { defineCommand, type None, type Typed } from '../define-command.ts';
import { SERVER, WORKER } from '../flags.ts';
import type { Output } from '../terminal/index.ts';

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

const FLAGS = { ...WORKER, ...SERVER };
type DevTyped = Typed<None, typeof FLAGS>;

export const devCommand = defineCommand({
  name: 'dev',
  description: 'a Temporal dev server and a worker in one, until Ctrl-C',
  examples: ['planwright dev --demo gene-strategies'],
  flags: FLAGS,
  async run(typed, { output, plans }) {
    if (typed.serverOnly === true) return serve(typed, output);
    const project = await needProject(plans, 'dev');
    const { DEFAULT_PORT, startServer, startWorker, tellReady } = await import('../working/index.ts');
    const server = await startServer(typed, output);
    try {
      output.note(`Temporal server at ${server.address}, namespace ${server.namespace} (${server.how})`);
      if (server.uiUrl !== undefined) output.note(`Web UI at ${server.uiUrl}${uiReads(project, server.uiUrl)}`);
      const worker = await startWorker(project, typed, output, { address: server.address });
      tellReady(worker, output);
      const address = server.address.endsWith(`:${DEFAULT_PORT}`) ? '' : ` --address ${server.address}`;
      output.note(`next, in another terminal: ${asTyped(`run PLAN.json${project.flag}${address}`)}`);
      output.note(server.started ? 'Ctrl-C stops both.' : 'Ctrl-C stops the worker; the server was there before.');
      await worker.ended;
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

async function serve(typed: DevTyped, output: Output) {
  const idle = (Object.keys(WORKER) as (keyof typeof WORKER)[]).find((name) => typed[name] !== undefined);
  if (idle !== undefined) {
    const name = idle.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    throw new OperationError('USAGE', `--server-only starts no worker, and --${name} is about one: leave out either`);
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
